package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.SelectModel.AggregateCall;
import io.fanfold.sql.SelectModel.ColumnRef;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import net.sf.jsqlparser.expression.BooleanValue;
import net.sf.jsqlparser.expression.DateTimeLiteralExpression;
import net.sf.jsqlparser.expression.DateUnitExpression;
import net.sf.jsqlparser.expression.DoubleValue;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.LongValue;
import net.sf.jsqlparser.expression.NullValue;
import net.sf.jsqlparser.expression.StringValue;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.statement.select.AllColumns;
import net.sf.jsqlparser.statement.select.AllTableColumns;

/**
 * Makes an {@link Expr} from the parser's tree and its token range. Immutable, for one statement.
 *
 * @param list the statement
 * @param words the server's words
 * @param normalised the normalised text of the statement
 * @param relations the block's subqueries
 */
record ExprReader(TokenList list, WordLists words, NormalText normalised, Relations relations) {
    /**
     * @param relations the block's subqueries
     */
    ExprReader(TokenList list, WordLists words, Relations relations) {
        this(list, words, new NormalText(list, words), relations);
    }

    /**
     * Reads one expression.
     *
     * @param tree the parser's tree
     * @param range its tokens
     * @param aggregates whether it may contain aggregate calls
     */
    SelectModel.Expr read(Expression tree, Clauses.Range range, boolean aggregates) throws RefusedException {
        TextRange span = list.span(range.from(), range.to());
        String tokens = list.normalised(range.from(), range.to(), words);
        if (tree instanceof AllColumns star) {
            return star(star, range, span, tokens);
        }
        AdjacencyGuard.check(list, range);
        TokenCursor cursor = new TokenCursor(list, normalised, range.from());
        ExprWalk walk = new ExprWalk(list, words, relations, cursor, aggregates, span);
        Expr root = walk.visit(tree);
        walk.requireEnd(range.to());
        List<ColumnRef> columns = new ArrayList<>(walk.columns());
        columns.sort(Comparator.comparingInt(column -> column.span().start()));
        List<AggregateCall> calls = new ArrayList<>(walk.calls().aggregates());
        calls.sort(Comparator.comparingInt(call -> call.span().start()));
        return new SelectModel.Expr(
                span,
                kind(tree, span, columns, calls),
                columns,
                calls,
                walk.calls().windows(),
                tokens,
                root);
    }

    private SelectModel.Expr star(AllColumns star, Clauses.Range range, TextRange span, String tokens)
            throws RefusedException {
        boolean plain = star.getClass() == AllColumns.class && range.to() - range.from() == 1;
        boolean ofTable = star.getClass() == AllTableColumns.class
                && list.at(range.to() - 2).symbol(".");
        if (!plain && !ofTable
                || star.getExceptColumns() != null
                || star.getReplaceExpressions() != null
                || !list.at(range.to() - 1).symbol("*")) {
            throw RefusedException.at(Reason.UNSUPPORTED_SYNTAX, "a star with more", span.start());
        }
        return new SelectModel.Expr(
                span,
                SelectModel.Expr.ExprKind.STAR,
                List.of(),
                List.of(),
                List.of(),
                tokens,
                new Expr.Star(new ExprText(normalised, span, span)));
    }

    private SelectModel.Expr.ExprKind kind(
            Expression tree, TextRange span, List<ColumnRef> columns, List<AggregateCall> calls) {
        if ((tree instanceof Column || tree instanceof DateUnitExpression)
                && columns.size() == 1
                && columns.get(0).span().equals(span)) {
            return SelectModel.Expr.ExprKind.COLUMN;
        }
        if (calls.size() == 1 && calls.get(0).span().equals(span)) {
            return SelectModel.Expr.ExprKind.AGGREGATE;
        }
        if (tree instanceof LongValue) {
            return SelectModel.Expr.ExprKind.INTEGER;
        }
        boolean literal = tree instanceof StringValue
                || tree instanceof DoubleValue
                || tree instanceof NullValue
                || tree instanceof BooleanValue
                || tree instanceof DateTimeLiteralExpression;
        return literal ? SelectModel.Expr.ExprKind.LITERAL : SelectModel.Expr.ExprKind.OTHER;
    }
}
