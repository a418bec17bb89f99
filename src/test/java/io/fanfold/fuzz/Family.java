package io.fanfold.fuzz;

/** The kinds of values that the grammar distinguishes. */
enum Family {
    INT,
    DEC,
    DBL,
    TEXT,
    BYTES,
    DATE,
    DATETIME,
    TIME,
    BOOL,
    JSON,
    /** ENUM, SET, BIT, FLOAT and numbers with a display format of their own. */
    ODD
}
