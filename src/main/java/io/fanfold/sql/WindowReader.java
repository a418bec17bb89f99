package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.Clauses.Range;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import net.sf.jsqlparser.expression.AnalyticExpression;
import net.sf.jsqlparser.expression.AnalyticType;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.statement.select.AllColumns;
import net.sf.jsqlparser.statement.select.OrderByElement;
import org.jspecify.annotations.Nullable;

/**
 * Checks calls of window functions: the result must depend only on the rows and their order, and tokens and tree must
 * agree about {@code OVER}. Immutable, for one statement.
 *
 * @param list the statement
 */
record WindowReader(TokenList list) {
    /**
     * Checks a call.
     *
     * @return the function's name in upper case
     */
    String check(AnalyticExpression node, TextRange span) throws RefusedException {
        String name = String.valueOf(node.getName()).toUpperCase(Locale.ROOT);
        if (!WordLists.window(name)) {
            throw RefusedException.at(Reason.UNKNOWN_FUNCTION, name + " OVER", span.start());
        }
        if (hasMore(node)) {
            throw RefusedException.at(Reason.UNSUPPORTED_SYNTAX, "a window function with more: " + name, span.start());
        }
        int first = list.startingAt(span.start());
        int open = first + 1;
        if (!list.at(first).is(name)
                || !list.at(open).symbol("(")
                || !list.at(first).touches(list.at(open))) {
            throw RefusedException.at(Reason.UNKNOWN_FUNCTION, "the call of " + name, span.start());
        }
        int over = list.closing(open) + 1;
        if (!list.at(over).is("OVER")) {
            throw RefusedException.at(
                    Reason.UNSUPPORTED_SYNTAX,
                    "words before OVER",
                    list.at(over).start());
        }
        OverClause clause = OverClause.at(list, over);
        if (list.at(clause.close()).end() != span.end()) {
            throw differs("the end of a window", span);
        }
        int arguments = OverClause.parts(list, new Range(open + 1, over - 1)).size();
        compare(node, clause, arguments, span);
        return name;
    }

    private static boolean hasMore(AnalyticExpression node) {
        return node.getType() != AnalyticType.OVER
                || node.getKeep() != null
                || node.getFilterExpression() != null
                || node.getFuncOrderBy() != null
                || node.getHavingClause() != null
                || node.getNullHandling() != null
                || node.getLimit() != null
                || node.getOnOverflowTruncate() != null
                || node.getWindowName() != null
                || node.isDistinct()
                || node.isUnique()
                || node.isIgnoreNulls()
                || node.isIgnoreNullsOutside()
                || node.getKeywordArguments() != null
                        && !node.getKeywordArguments().isEmpty();
    }

    private void compare(AnalyticExpression node, OverClause clause, int arguments, TextRange span)
            throws RefusedException {
        boolean frame = clause.frame().from() < clause.frame().to();
        List<Range> sorted = OverClause.parts(list, clause.order());
        List<OrderByElement> order = node.getOrderByElements() == null ? List.of() : node.getOrderByElements();
        int partitions = node.getPartitionExpressionList() == null
                ? 0
                : node.getPartitionExpressionList().size();
        boolean star = countsRows(node) || node.isAllColumns();
        if (frame != (node.getWindowElement() != null)
                || sorted.size() != order.size()
                || OverClause.parts(list, clause.partition()).size() != partitions
                || arguments != (star ? 1 : arguments(node).size())
                || star && !countsRows(node)) {
            throw differs("a window", span);
        }
        for (int i = 0; i < sorted.size(); i++) {
            if (!SortElement.of(list, sorted.get(i)).directedAs(order.get(i))) {
                throw differs("a window's order", span);
            }
        }
    }

    /** Whether the call is COUNT(*), whose star is no expression. */
    private static boolean countsRows(AnalyticExpression node) {
        return "COUNT".equalsIgnoreCase(node.getName())
                && node.getOffset() == null
                && node.getDefaultValue() == null
                && (node.isAllColumns()
                        || node.getExpression() != null && node.getExpression().getClass() == AllColumns.class);
    }

    /** Returns the arguments of the call, none for COUNT(*). */
    static List<Expression> arguments(AnalyticExpression node) {
        return Stream.<@Nullable Expression>of(node.getExpression(), node.getOffset(), node.getDefaultValue())
                .filter(argument -> argument != null && !countsRows(node))
                .map(Expression.class::cast)
                .toList();
    }

    private static RefusedException differs(String what, TextRange span) {
        return RefusedException.at(Reason.NOT_FAITHFUL, what + " is read in two ways", span.start());
    }
}
