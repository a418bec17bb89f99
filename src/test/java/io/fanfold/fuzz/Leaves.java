package io.fanfold.fuzz;

import java.util.Optional;

/** Provides the operands of an expression: columns of rows, or keys and aggregates of groups. */
@FunctionalInterface
interface Leaves {
    /** Returns an operand of that family; empty if there is none. */
    Optional<Expr> leaf(Family family);
}
