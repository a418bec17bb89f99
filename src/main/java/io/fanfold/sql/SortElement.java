package io.fanfold.sql;

import io.fanfold.sql.Clauses.Range;
import net.sf.jsqlparser.statement.select.OrderByElement;

/**
 * One element of ORDER BY, of a block, a window or an aggregate call, by its tokens. Immutable.
 *
 * @param key the tokens of the sort expression; empty if there is only a direction
 * @param descending whether DESC was written
 */
record SortElement(Range key, boolean descending) {
    /** Reads the tokens of an element, at least one. */
    static SortElement of(TokenList list, Range element) {
        Token last = list.at(element.to() - 1);
        boolean descending = last.is("DESC");
        boolean direction = descending || last.is("ASC");
        return new SortElement(new Range(element.from(), element.to() - (direction ? 1 : 0)), descending);
    }

    /** Whether the parser read the same direction, and no NULLS FIRST or LAST, which MySQL does not have. */
    boolean directedAs(OrderByElement parsed) {
        return parsed.getNullOrdering() == null && descending != parsed.isAsc();
    }
}
