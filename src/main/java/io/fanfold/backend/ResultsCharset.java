package io.fanfold.backend;

/** The character set in which workers send strings. */
public enum ResultsCharset {
    /** The client's own: rows can be handed to the client as they are. */
    AS_CLIENT,
    /** utf8mb4, for values that go into the finish query. */
    UTF8MB4,
    /** Unconverted, each column in its own: its collation is seen in the column definition. */
    UNCONVERTED
}
