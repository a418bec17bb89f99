package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.FunctionFacts.CallForm;
import io.fanfold.sql.SelectModel.AggregateCall;
import io.fanfold.sql.SelectModel.ColumnRef;
import io.fanfold.sql.SelectModel.WindowCall;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.sf.jsqlparser.expression.AnalyticExpression;
import net.sf.jsqlparser.expression.BinaryExpression;
import net.sf.jsqlparser.expression.CaseExpression;
import net.sf.jsqlparser.expression.CastExpression;
import net.sf.jsqlparser.expression.DateUnitExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.expression.IntervalExpression;
import net.sf.jsqlparser.expression.JsonAggregateFunction;
import net.sf.jsqlparser.expression.SignedExpression;
import net.sf.jsqlparser.expression.TimeKeyExpression;
import net.sf.jsqlparser.expression.TrimFunction;
import net.sf.jsqlparser.expression.WhenClause;
import net.sf.jsqlparser.expression.operators.relational.Between;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.expression.operators.relational.InExpression;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.parser.ASTNodeAccess;
import net.sf.jsqlparser.parser.Node;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.statement.create.table.ColDataType;
import net.sf.jsqlparser.statement.select.OrderByElement;
import org.jspecify.annotations.Nullable;

/**
 * Walks the tree of one expression, refuses every node that is not on the allowlist ({@link ExprNodes}), and collects
 * columns, aggregate calls and window functions. An instance walks one expression once.
 */
final class ExprWalk {
    /** A type's first word, followed only by its size or INTEGER. */
    private static final Pattern CAST_TYPE =
            Pattern.compile("(CHAR|BINARY|DECIMAL|DATE|DATETIME|TIME|DOUBLE|FLOAT|REAL|YEAR|JSON|INT|INTEGER"
                    + "|(?:UN)?SIGNED(?= INT$| INTEGER$|$))(?: INT| INTEGER)?(?: ?\\( ?\\d+(?: ?, ?\\d+)? ?\\))?");

    private static final Pattern QUOTED_NAME = Pattern.compile("`[^`]*+`");

    private final TokenList list;
    private final NameGuard names;
    private final TextRange within;
    private final WordLists words;
    private final FunctionReader functions;
    private final List<ColumnRef> columns = new ArrayList<>();
    private final List<AggregateCall> aggregates = new ArrayList<>();
    private final List<WindowCall> windows = new ArrayList<>();
    private final Deque<String> enclosing = new ArrayDeque<>();
    private boolean aggregatesAllowed;

    ExprWalk(TokenList list, WordLists words, boolean aggregatesAllowed, TextRange within) {
        this.list = list;
        this.words = words;
        this.names = new NameGuard(words);
        this.within = within;
        this.functions = new FunctionReader(list, words);
        this.aggregatesAllowed = aggregatesAllowed;
    }

    List<ColumnRef> columns() {
        return columns;
    }

    List<AggregateCall> aggregates() {
        return aggregates;
    }

    List<WindowCall> windows() {
        return windows;
    }

    void visit(@Nullable Expression node) throws RefusedException {
        if (node != null) {
            ExprNodes.visitor(node).visit(this, node);
        }
    }

    private void visitInside(String operator, @Nullable Expression... nodes) throws RefusedException {
        enclosing.addLast(operator);
        for (Expression node : nodes) {
            visit(node);
        }
        enclosing.removeLast();
    }

    void binary(String operator, BinaryExpression node) throws RefusedException {
        visitInside(operator, node.getLeftExpression(), node.getRightExpression());
    }

    void inside(String operator, Expression node) throws RefusedException {
        visitInside(operator, node);
    }

    void column(Column node) throws RefusedException {
        if (node.getArrayConstructor() != null || node.getCommentText() != null || node.getOldOracleJoinSyntax() != 0) {
            throw refusal("a column with more");
        }
        TextRange span = span(node);
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
        add(from, to);
    }

    /** Visits a unit's name where an expression is expected: it is a column of that name. */
    void dateUnit(DateUnitExpression node) throws RefusedException {
        TextRange span = span(node);
        add(list.startingAt(span.start()), list.endingBy(span.end()));
    }

    private void add(int from, int to) throws RefusedException {
        int parts = (to - from + 1) / 2;
        if (from < 0 || to - from != 2 * parts - 1 || parts > 3) {
            throw refusal("a column's position");
        }
        List<String> path = new ArrayList<>();
        for (int i = from; i < to; i++) {
            boolean dot = (i - from) % 2 == 1;
            if (dot ? !list.at(i).symbol(".") : !list.at(i).named()) {
                throw refusal("a column's position");
            }
            if (!dot) {
                names.check(list.at(i));
                path.add(list.at(i).name(list.sql()));
            }
        }
        String name = path.remove(path.size() - 1);
        columns.add(new ColumnRef(list.span(from, to), path.isEmpty() ? null : String.join(".", path), name));
    }

    void list(ExpressionList<?> node) throws RefusedException {
        if (node.isEmpty()) {
            throw refusal("empty parentheses");
        }
        boolean row = node.size() > 1;
        if (row) {
            enclosing.addLast("ROW");
        }
        for (Expression element : node) {
            visit(element);
        }
        if (row) {
            enclosing.removeLast();
        }
    }

    void in(InExpression node) throws RefusedException {
        if (!(node.getRightExpression() instanceof ParenthesedExpressionList<?>) || node.isGlobal()) {
            throw refusal("IN without a list");
        }
        visitInside("COMPARISON", node.getLeftExpression(), node.getRightExpression());
    }

    void between(Between node) throws RefusedException {
        if (node.isUsingSymmetric()
                || node.isUsingAsymmetric()
                || ExprNodes.loose(node.getLeftExpression())
                || ExprNodes.loose(node.getBetweenExpressionStart())
                || ExprNodes.loose(node.getBetweenExpressionEnd())) {
            throw refusal("BETWEEN beside a comparison");
        }
        visitInside(
                "COMPARISON",
                node.getLeftExpression(),
                node.getBetweenExpressionStart(),
                node.getBetweenExpressionEnd());
    }

    void cases(CaseExpression node) throws RefusedException {
        enclosing.addLast("CASE");
        visit(node.getSwitchExpression());
        for (WhenClause when : node.getWhenClauses()) {
            visit(when.getWhenExpression());
            visit(when.getThenExpression());
        }
        visit(node.getElseExpression());
        enclosing.removeLast();
    }

    void signed(SignedExpression node) throws RefusedException {
        if (node.getSign() == '-') {
            visitInside("NEG", node.getExpression());
        } else if (node.getSign() == '+') {
            visit(node.getExpression());
        } else {
            throw refusal("the sign " + node.getSign());
        }
    }

    void cast(CastExpression node) throws RefusedException {
        ColDataType type = node.getColDataType();
        boolean extra = !"CAST".equalsIgnoreCase(node.keyword)
                || node.isImplicitCast()
                || node.getFormat() != null
                || node.getColumnDefinitions() != null
                        && !node.getColumnDefinitions().isEmpty();
        if (extra || type == null || type.getCharacterSet() != null) {
            throw refusal("a CAST with more");
        }
        Matcher text = CAST_TYPE.matcher(type.toString().strip().toUpperCase(Locale.ROOT));
        if (!text.matches()) {
            throw refusal("CAST AS " + type);
        }
        String name = text.group(1);
        visitInside("CAST AS " + name, node.getLeftExpression());
    }

    void interval(IntervalExpression node) throws RefusedException {
        if (!node.isUsingIntervalKeyword()) {
            throw refusal("a unit without INTERVAL");
        }
        Expression number = node.getExpression();
        visitInside("INTERVAL", number instanceof IntervalExpression inner ? inner.getExpression() : number);
    }

    void trim(TrimFunction node) throws RefusedException {
        if (node.getFromExpression() != null && !node.isUsingFromKeyword()) {
            throw refusal("TRIM with a comma");
        }
        functions.checkCall("TRIM", span(node));
        visitInside("TRIM", node.getExpression(), node.getFromExpression());
    }

    void moment(TimeKeyExpression node) throws RefusedException {
        String written = node.getStringValue().toUpperCase(Locale.ROOT);
        String name = written.endsWith("()") ? written.substring(0, written.length() - 2) : written;
        if (!WordLists.hasForm(name, CallForm.BARE)) {
            throw new RefusedException(Reason.UNKNOWN_FUNCTION, node.getStringValue());
        }
    }

    void function(Function node) throws RefusedException {
        TextRange span = span(node);
        String name = functions.check(node, span);
        if (!WordLists.aggregate(name)) {
            scalar(node, name);
            return;
        }
        if (!aggregatesAllowed) {
            throw RefusedException.at(
                    Reason.UNSUPPORTED_SYNTAX, "an aggregate in the wrong place: " + name, span.start());
        }
        aggregates.add(functions.aggregate(node, name, span, List.copyOf(enclosing)));
        aggregatesAllowed = false;
        visitArguments(node, name, functions.countsRows(node));
        aggregatesAllowed = true;
    }

    void jsonAggregate(JsonAggregateFunction node) throws RefusedException {
        TextRange span = span(node);
        String name = list.at(list.startingAt(span.start())).text();
        if (!aggregatesAllowed || !WordLists.aggregate(name)) {
            throw RefusedException.at(
                    Reason.UNSUPPORTED_SYNTAX, "an aggregate in the wrong place: " + name, span.start());
        }
        aggregates.add(functions.aggregate(node, name, span, List.copyOf(enclosing)));
        aggregatesAllowed = false;
        visitInside(name, FunctionReader.jsonArguments(node).toArray(Expression[]::new));
        enclosing.addLast(name);
        if (node.getExpressionOrderByElements() != null) {
            for (OrderByElement element : node.getExpressionOrderByElements()) {
                visit(element.getExpression());
            }
        }
        enclosing.removeLast();
        aggregatesAllowed = true;
    }

    /** Visits a window function. It may contain aggregates, but no other window functions. */
    void window(AnalyticExpression node) throws RefusedException {
        TextRange span = span(node);
        if (!aggregatesAllowed || enclosing.contains("OVER")) {
            throw RefusedException.at(Reason.UNSUPPORTED_SYNTAX, "a window function in the wrong place", span.start());
        }
        windows.add(new WindowReader(list, words).check(node, span));
        visitInside("OVER", WindowReader.inside(node).toArray(Expression[]::new));
    }

    private void scalar(Function node, String name) throws RefusedException {
        visitArguments(node, name, functions.firstIsUnit(node, name));
    }

    private void visitArguments(Function node, String name, boolean skipFirst) throws RefusedException {
        enclosing.addLast(name);
        for (ExpressionList<?> arguments : functions.argumentLists(node)) {
            for (int i = skipFirst ? 1 : 0; i < arguments.size(); i++) {
                visit(arguments.get(i));
            }
        }
        if (node.getOrderByElements() != null) {
            for (OrderByElement element : node.getOrderByElements()) {
                visit(element.getExpression());
            }
        }
        enclosing.removeLast();
    }

    /** Returns the node's text. Every position must lie inside the expression and at token boundaries. */
    private TextRange span(Expression node) throws RefusedException {
        Node position = ((ASTNodeAccess) node).getASTNode();
        if (position == null || position.jjtGetFirstToken() == null || position.jjtGetLastToken() == null) {
            throw refusal("a node without position");
        }
        int start = position.jjtGetFirstToken().absoluteBegin - 1;
        int end = position.jjtGetLastToken().absoluteEnd - 1;
        if (start < within.start() || end > within.end() || end <= start || list.startingAt(start) < 0) {
            throw refusal("a node's position");
        }
        return new TextRange(start, end);
    }

    private RefusedException refusal(String what) {
        return RefusedException.at(Reason.UNSUPPORTED_SYNTAX, what + " in an expression", within.start());
    }
}
