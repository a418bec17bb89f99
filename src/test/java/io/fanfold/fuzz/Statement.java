package io.fanfold.fuzz;

/** A whole statement, or one inside another. Immutable. */
sealed interface Statement extends SqlNode permits Query, Union {
    /** Returns the statement without the LIMIT at its end. */
    Statement unlimited();

    /** Returns what its answer leaves open, and what can be compared. */
    Expectation expectation();
}
