package io.fanfold.variables;

/** The character set in which workers send strings. */
public enum ResultsCharset {
    /** The client's own: rows can be passed to the client unchanged. */
    AS_CLIENT,
    /** utf8mb4, for values that are put into the final query. */
    UTF8MB4,
    /** Unconverted, each column in its own: the column definition then shows its collation. */
    UNCONVERTED
}
