package io.fanfold.plan;

import io.fanfold.catalog.KeyColumn;
import io.fanfold.catalog.TableName;
import java.math.BigInteger;
import java.util.Optional;

/**
 * A range of a key: the rows whose value is at least {@code from} and below {@code below}. The ranges of a table are
 * disjoint, and together they are all its rows, whatever the bounds are: the first has no lower bound, the last no upper
 * one, and each other begins where the one before it ends. NULL belongs to the first range. Immutable.
 *
 * @param key the first column of an index
 * @param from a position, see {@link io.fanfold.catalog.KeyType}; empty in the first range
 * @param below a position; empty in the last range
 * @param estimatedRows the server's estimate, 0 or more
 */
public record KeyRange(KeyColumn key, Optional<BigInteger> from, Optional<BigInteger> below, long estimatedRows) {
    /**
     * Returns the condition for the range; empty if it has no bounds.
     *
     * @param table how the statement names the table, quoted
     */
    public String condition(String table) {
        String column = table + "." + TableName.quote(key.name());
        String least =
                from.map(bound -> column + " >= " + key.type().literal(bound)).orElse("");
        String most =
                below.map(bound -> column + " < " + key.type().literal(bound)).orElse("");
        if (from.isEmpty()) {
            return key.nullable() && below.isPresent() ? "(" + most + " OR " + column + " IS NULL)" : most;
        }
        return below.isEmpty() ? least : least + " AND " + most;
    }

    /** Returns the range from the start of this one to the end of a later one. */
    KeyRange to(KeyRange last, long rows) {
        return new KeyRange(key, from, last.below, rows);
    }

    /** Returns the range for people, e.g. {@code id 100..200}. */
    public String label() {
        return key.name() + " " + from.map(key.type()::literal).orElse("") + ".."
                + below.map(key.type()::literal).orElse("");
    }
}
