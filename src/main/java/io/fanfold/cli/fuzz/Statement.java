package io.fanfold.cli.fuzz;

/** A whole statement, or one inside another. Immutable. */
sealed interface Statement extends SqlNode permits Query, Union {
    /** The same without LIMIT at its end. */
    Statement unlimited();

    /** What its answer leaves open, and what may be compared. */
    Expectation expectation();
}
