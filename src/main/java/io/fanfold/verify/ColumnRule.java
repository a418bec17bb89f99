package io.fanfold.verify;

/** How the values of a result column are compared. */
public enum ColumnRule {
    /** Byte by byte. */
    EXACT,
    /**
     * Byte by byte, except that -0 equals 0 and 0000 equals 0: of these, the server's plan decides which one a DOUBLE or a
     * YEAR shows.
     */
    ZERO,
    /** The server may show any of several equal values, as of strings that are equal under their collation. */
    CHOSEN,
    /** Not compared: the value depends on the order of the rows. */
    LEFT_OUT
}
