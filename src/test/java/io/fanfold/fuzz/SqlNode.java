package io.fanfold.fuzz;

/** A part of a statement. Immutable. */
sealed interface SqlNode permits Expr, Statement {
    /** The text, with one blank at each place where blanks are allowed. */
    String sql();
}
