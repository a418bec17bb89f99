package io.fanfold.cli.fuzz;

/** The kinds of values that the grammar tells apart. */
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
    /** ENUM, SET, BIT, FLOAT and numbers that are shown in a form of their own. */
    ODD
}
