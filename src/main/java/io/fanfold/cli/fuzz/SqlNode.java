package io.fanfold.cli.fuzz;

/** A part of a statement that can be written. Immutable. */
sealed interface SqlNode permits Expr, Statement {
    /** The text, with one blank where blanks may stand. */
    String sql();
}
