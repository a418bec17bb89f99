package io.fanfold.plan;

import io.fanfold.catalog.KeyType;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * The keys of a {@link KeyFilter} as written in partition queries. Immutable; the bytes must not be changed.
 *
 * <p>At most one list of a query is sargable. Lists for several columns of one index are dangerous if the server may
 * look up ranges by them: MySQL 9.7 goes through all combinations of their keys while it plans.
 *
 * @param column the split table's column as written in the statement
 * @param literals the literals between commas, in ASCII; {@code NULL}, which equals nothing, if there are no keys
 * @param keys the number of keys, 0 or more
 * @param sargable whether the server may look up index ranges by the list and prune partitions; otherwise it only
 *     compares rows with it
 */
public record KeyList(String column, byte[] literals, int keys, boolean sargable) {
    /** Returns the list of no keys, for which the server need not read any row. */
    public static KeyList none(String column) {
        return new KeyList(column, new byte[] {'N', 'U', 'L', 'L'}, 0, true);
    }

    /** Returns the same keys as a sargable list. */
    public KeyList asSargable() {
        return new KeyList(column, literals, keys, true);
    }

    /** Returns the positions of the keys in a type, in order of the list; of those that have one. */
    public List<BigInteger> positions(KeyType type) {
        if (keys == 0) {
            return List.of();
        }
        return Arrays.stream(new String(literals, StandardCharsets.US_ASCII).split(",", -1))
                .map(literal -> literal.startsWith("DATE'") ? literal.substring(5, literal.length() - 1) : literal)
                .flatMap(value -> type.position(value).stream())
                .toList();
    }

    /** Returns the text before the literals, in UTF-8. */
    byte[] before() {
        return ((sargable ? "" : "IF(") + column + " IN (").getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the text after the literals. */
    String after() {
        return sargable ? ")" : "), 1, 0)";
    }
}
