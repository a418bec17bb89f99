package io.fanfold.plan;

import java.nio.charset.StandardCharsets;

/**
 * The keys of a {@link KeyFilter}, as they stand in partition queries. Immutable: nobody changes the bytes.
 *
 * <p>Lists for several columns of one index are dangerous where the server may look ranges up by them: MySQL 9.7 goes through all
 * combinations of their keys while it plans. So at most one list of a query is sargable.
 *
 * @param column the split table's column as the statement writes it
 * @param literals the literals between commas, in ASCII; {@code NULL} if there are no keys, which equals nothing
 * @param keys how many there are, 0 or more
 * @param sargable whether the server may look ranges of an index up by the list, and leave partitions out; else it only compares rows with it
 */
public record KeyList(String column, byte[] literals, int keys, boolean sargable) {
    /** The list of no keys, for which the server need not read any row. */
    public static KeyList none(String column) {
        return new KeyList(column, new byte[] {'N', 'U', 'L', 'L'}, 0, true);
    }

    /** The same keys as a list that is sargable. */
    public KeyList asSargable() {
        return new KeyList(column, literals, keys, true);
    }

    /** What stands before the literals, in UTF-8. */
    byte[] before() {
        return ((sargable ? "" : "IF(") + column + " IN (").getBytes(StandardCharsets.UTF_8);
    }

    /** What stands after them. */
    String after() {
        return sargable ? ")" : "), 1, 0)";
    }
}
