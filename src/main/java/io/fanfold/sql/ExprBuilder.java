package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Expr.LiteralType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.sf.jsqlparser.expression.BinaryExpression;
import net.sf.jsqlparser.expression.CaseExpression;
import net.sf.jsqlparser.expression.CastExpression;
import net.sf.jsqlparser.expression.DateUnitExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.IntervalExpression;
import net.sf.jsqlparser.expression.SignedExpression;
import net.sf.jsqlparser.expression.WhenClause;
import net.sf.jsqlparser.expression.operators.relational.Between;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.expression.operators.relational.InExpression;
import net.sf.jsqlparser.expression.operators.relational.LikeExpression;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.statement.create.table.ColDataType;

/**
 * Builds the {@link Expr} of one node of the parser's tree, of any class but calls. The walk goes through the
 * expression's own tokens in order, which give texts and names. An instance serves one expression once.
 */
final class ExprBuilder {
    /** A type's first word, followed only by its size or INTEGER. */
    private static final Pattern CAST_TYPE =
            Pattern.compile("(CHAR|BINARY|DECIMAL|DATE|DATETIME|TIME|DOUBLE|FLOAT|REAL|YEAR|JSON|INT|INTEGER"
                    + "|(?:UN)?SIGNED(?= INT$| INTEGER$|$))(?: INT| INTEGER)?(?: ?\\( ?\\d+(?: ?, ?\\d+)? ?\\))?");

    private static final Pattern QUOTED_NAME = Pattern.compile("`[^`]*+`");

    private final TokenList list;
    private final NameGuard names;
    private final Relations relations;
    private final TokenCursor cursor;
    private final Operands operands;

    /**
     * @param relations the block's subqueries
     * @param operands the nodes of the expression, whose cursor is at its first token
     */
    ExprBuilder(WordLists words, Relations relations, Operands operands) {
        this.list = operands.list();
        this.relations = relations;
        this.cursor = operands.cursor();
        this.names = new NameGuard(words);
        this.operands = operands;
    }

    /** Visits a literal of one token, or the number that stands for a subquery. */
    Expr literal(LiteralType type) throws RefusedException {
        Token token = cursor.take();
        if (token.kind() == Token.TokenKind.SUBQUERY) {
            // in the parentheses of a call
            TextRange body = relations.body(token.start());
            return subquery(token, body, cursor.at() - 1);
        }
        return new Expr.Literal(cursor.from(cursor.at() - 1), type);
    }

    Expr number() throws RefusedException {
        String number = list.at(cursor.at()).text();
        boolean floating = number.indexOf('e') >= 0 || number.indexOf('E') >= 0;
        return literal(
                floating ? LiteralType.DOUBLE : number.indexOf('.') < 0 ? LiteralType.INTEGER : LiteralType.DECIMAL);
    }

    /** Visits {@code DATE '…'} and the like. */
    Expr temporal() {
        int from = cursor.at();
        cursor.take();
        cursor.take();
        return new Expr.Literal(cursor.from(from), LiteralType.TEMPORAL);
    }

    private Expr subquery(Token token, TextRange span, int from) throws RefusedException {
        InnerQuery query = relations.query(token.start());
        TextRange body = query.text();
        String quantifier = token.text().substring(0, token.text().length() - (body.end() - body.start()));
        return new Expr.Subquery(cursor.text(span, from, cursor.at()), quantifier.strip(), body, query.blocks());
    }

    Expr binary(Operator operator, BinaryExpression node) throws RefusedException {
        int from = cursor.at();
        Expr left = operands.visit(node.getLeftExpression());
        boolean negated = cursor.skip("NOT");
        cursor.require(operator);
        Expr right = operands.visit(node.getRightExpression());
        return new Expr.Operation(cursor.from(from), operator, negated, List.of(left, right));
    }

    Expr like(Operator operator, LikeExpression node) throws RefusedException {
        int from = cursor.at();
        Expr.Operation like = (Expr.Operation) binary(operator, node);
        if (!cursor.skip("ESCAPE")) {
            return like;
        }
        List<Expr> operands = new ArrayList<>(like.operands());
        operands.add(literal(LiteralType.STRING));
        return new Expr.Operation(cursor.from(from), operator, like.negated(), operands);
    }

    /** Visits {@code NOT x}, or a sign before its operand. */
    Expr prefix(Operator operator, Expression operand) throws RefusedException {
        int from = cursor.at();
        cursor.require(operator);
        Expr value = operands.visit(operand);
        return new Expr.Operation(cursor.from(from), operator, false, List.of(value));
    }

    /** Visits {@code x IS [NOT] NULL} and the like. */
    Expr is(Operator operator, Expression operand) throws RefusedException {
        int from = cursor.at();
        Expr value = operands.visit(operand);
        cursor.require("IS");
        boolean negated = cursor.skip("NOT");
        cursor.require(operator);
        return new Expr.Operation(cursor.from(from), operator, negated, List.of(value));
    }

    Expr collate(Expression operand) throws RefusedException {
        int from = cursor.at();
        Expr value = operands.visit(operand);
        cursor.require(Operator.COLLATE);
        cursor.take();
        return new Expr.Operation(cursor.from(from), Operator.COLLATE, false, List.of(value));
    }

    Expr column(Column node) throws RefusedException {
        if (node.getArrayConstructor() != null || node.getCommentText() != null || node.getOldOracleJoinSyntax() != 0) {
            throw operands.refusal("a column with more");
        }
        TextRange span = operands.span(node);
        int from = list.startingAt(span.start());
        int to = list.endingBy(span.end());
        StringBuilder text = new StringBuilder();
        for (int i = from; i < to; i++) {
            text.append(
                    list.at(i).kind() == Token.TokenKind.QUOTED
                            ? ""
                            : list.at(i).name(list.sql()));
        }
        String printed = QUOTED_NAME.matcher(node.getFullyQualifiedName()).replaceAll("");
        if (!printed.contentEquals(text)) {
            throw RefusedException.at(Reason.NOT_FAITHFUL, "the name " + printed, span.start());
        }
        return name(from, to);
    }

    /** Visits a unit's name where an expression is expected: it is a column of that name. */
    Expr dateUnit(DateUnitExpression node) throws RefusedException {
        TextRange span = operands.span(node);
        return name(list.startingAt(span.start()), list.endingBy(span.end()));
    }

    private Expr name(int from, int to) throws RefusedException {
        int parts = (to - from + 1) / 2;
        if (from < 0 || to - from != 2 * parts - 1 || parts > 3) {
            throw operands.refusal("a column's position");
        }
        List<String> path = new ArrayList<>();
        for (int i = from; i < to; i++) {
            boolean dot = (i - from) % 2 == 1;
            if (dot ? !list.at(i).symbol(".") : !list.at(i).named()) {
                throw operands.refusal("a column's position");
            }
            if (!dot) {
                names.check(list.at(i));
                path.add(list.at(i).name(list.sql()));
            }
        }
        cursor.pass(from, to);
        String name = path.remove(path.size() - 1);
        String qualifier = path.isEmpty() ? null : String.join(".", path);
        return new Expr.ColumnRef(cursor.from(from), qualifier, name);
    }

    /** Visits parentheses. */
    Expr list(ExpressionList<?> node) throws RefusedException {
        if (node.isEmpty()) {
            throw operands.refusal("empty parentheses");
        }
        int from = cursor.at();
        Token first = list.at(from + 1);
        if (node.size() == 1 && first.kind() == Token.TokenKind.SUBQUERY) {
            cursor.pass(from, from + 3);
            return subquery(first, list.span(from, from + 3), from);
        }
        if (node.size() == 1) {
            cursor.group();
            Expr inner = operands.visit(node.get(0));
            cursor.require(")");
            return inner;
        }
        cursor.require("(");
        List<Expr> elements = operands.separated(node);
        cursor.require(")");
        return new Expr.Row(cursor.from(from), elements);
    }

    Expr in(InExpression node) throws RefusedException {
        if (!(node.getRightExpression() instanceof ParenthesedExpressionList<?>) || node.isGlobal()) {
            throw operands.refusal("IN without a list");
        }
        int from = cursor.at();
        Expr value = operands.visit(node.getLeftExpression());
        boolean negated = cursor.skip("NOT");
        cursor.require(Operator.IN);
        Expr values = operands.visit(node.getRightExpression());
        return new Expr.Operation(cursor.from(from), Operator.IN, negated, List.of(value, values));
    }

    Expr between(Between node) throws RefusedException {
        int from = cursor.at();
        Expr value = operands.visit(node.getLeftExpression());
        boolean negated = cursor.skip("NOT");
        cursor.require(Operator.BETWEEN);
        Expr low = operands.visit(node.getBetweenExpressionStart());
        cursor.require("AND");
        Expr high = operands.visit(node.getBetweenExpressionEnd());
        return new Expr.Operation(cursor.from(from), Operator.BETWEEN, negated, List.of(value, low, high));
    }

    Expr cases(CaseExpression node) throws RefusedException {
        int from = cursor.at();
        cursor.require("CASE");
        Expr operand = node.getSwitchExpression() == null ? null : operands.visit(node.getSwitchExpression());
        List<Expr.When> whens = new ArrayList<>();
        for (WhenClause when : node.getWhenClauses()) {
            cursor.require("WHEN");
            Expr condition = operands.visit(when.getWhenExpression());
            cursor.require("THEN");
            whens.add(new Expr.When(condition, operands.visit(when.getThenExpression())));
        }
        boolean otherwise = node.getElseExpression() != null && cursor.skip("ELSE");
        Expr value = otherwise ? operands.visit(node.getElseExpression()) : null;
        cursor.require("END");
        return new Expr.Case(cursor.from(from), operand, whens, value);
    }

    Expr signed(SignedExpression node) throws RefusedException {
        return switch (node.getSign()) {
            case '-' -> prefix(Operator.NEGATE, node.getExpression());
            case '+' -> prefix(Operator.POSITIVE, node.getExpression());
            default -> throw operands.refusal("the sign " + node.getSign());
        };
    }

    Expr cast(CastExpression node) throws RefusedException {
        ColDataType type = node.getColDataType();
        boolean extra = !"CAST".equalsIgnoreCase(node.keyword)
                || node.isImplicitCast()
                || node.getFormat() != null
                || node.getColumnDefinitions() != null
                        && !node.getColumnDefinitions().isEmpty();
        if (extra || type == null || type.getCharacterSet() != null) {
            throw operands.refusal("a CAST with more");
        }
        Matcher text = CAST_TYPE.matcher(type.toString().strip().toUpperCase(Locale.ROOT));
        if (!text.matches()) {
            throw operands.refusal("CAST AS " + type);
        }
        String target = text.group(1);
        int from = cursor.at();
        cursor.require("CAST");
        int close = list.closing(cursor.at());
        cursor.require("(");
        Expr operand = operands.visit(node.getLeftExpression());
        cursor.require("AS");
        cursor.pass(cursor.at(), close + 1);
        return new Expr.Cast(cursor.from(from), target, operand);
    }

    Expr interval(IntervalExpression node) throws RefusedException {
        if (!node.isUsingIntervalKeyword()) {
            throw operands.refusal("a unit without INTERVAL");
        }
        Expression number = node.getExpression();
        int from = cursor.at();
        cursor.require("INTERVAL");
        Expression inner = number instanceof IntervalExpression unit ? unit.getExpression() : number;
        Expr value = inner == null ? amount() : operands.visit(inner);
        Token unit = cursor.take();
        return new Expr.Interval(cursor.from(from), value, unit.text());
    }

    /** Reads the number of an INTERVAL, for which the parser has no node if it is a literal. */
    private Expr amount() throws RefusedException {
        int from = cursor.at();
        boolean negative = cursor.skip("-");
        Expr literal = list.at(cursor.at()).kind() == Token.TokenKind.STRING ? literal(LiteralType.STRING) : number();
        return negative ? new Expr.Operation(cursor.from(from), Operator.NEGATE, false, List.of(literal)) : literal;
    }
}
