package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import net.sf.jsqlparser.expression.Expression;
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
     * Reads one expression.
     *
     * @param tree the parser's tree
     * @param range its tokens
     * @param aggregates whether it may contain aggregate calls
     */
    Expr read(Expression tree, Clauses.Range range, boolean aggregates) throws RefusedException {
        TextRange span = list.span(range.from(), range.to());
        if (tree instanceof AllColumns star) {
            return star(star, range, span);
        }
        AdjacencyGuard.check(list, range);
        TokenCursor cursor = new TokenCursor(list, normalised, range.from());
        Expr root = new ExprNodes(list, words, relations, cursor, aggregates, span).visit(tree);
        cursor.require(range.to());
        return root;
    }

    private Expr star(AllColumns star, Clauses.Range range, TextRange span) throws RefusedException {
        boolean plain = star.getClass() == AllColumns.class && range.to() - range.from() == 1;
        boolean ofTable = star.getClass() == AllTableColumns.class
                && list.at(range.to() - 2).symbol(".");
        if (!plain && !ofTable
                || star.getExceptColumns() != null
                || star.getReplaceExpressions() != null
                || !list.at(range.to() - 1).symbol("*")) {
            throw RefusedException.at(Reason.UNSUPPORTED_SYNTAX, "a star with more", span.start());
        }
        return new Expr.Star(new ExprText(normalised, span, span));
    }
}
