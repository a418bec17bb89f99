package io.fanfold.plan;

/**
 * How the proxy compares two partial rows by one key.
 *
 * @param column the column of the partial row whose bytes are compared: the value itself, or for character strings the
 *     hidden column with its WEIGHT_STRING
 * @param comparison how the bytes compare
 * @param pad for {@link KeyComparison#WEIGHT_PAD} the weight of one blank under the key's collation, else empty
 * @param descending whether larger values are first; meaningless for grouping
 */
public record SortKey(int column, KeyComparison comparison, byte[] pad, boolean descending) {

    /** How the bytes of two non-NULL values compare. NULL equals NULL and is first in ascending order. */
    public enum KeyComparison {
        /** Exact number text: optional minus, digits, optional point and digits. */
        NUMBER,
        /** DOUBLE text as the server prints it; -0 equals 0. */
        DOUBLE,
        /** TIME text: optional minus, hours of two or more digits, minutes, seconds, fraction of fixed length. */
        TIME,
        /** Text of a DATE, DATETIME or TIMESTAMP with an existing day; compared as {@link #BYTES}. */
        DATE,
        /** Unsigned bytes, the shorter first on a common prefix: DATE, DATETIME, TIMESTAMP, YEAR, binary strings. */
        BYTES,
        /** Weight bytes of a NO PAD collation: compared as {@link #BYTES}. */
        WEIGHT,
        /**
         * Weight bytes of a PAD SPACE collation: trailing repetitions of {@link SortKey#pad()} are ignored, and the
         * shorter value is compared as if padded with it.
         */
        WEIGHT_PAD
    }
}
