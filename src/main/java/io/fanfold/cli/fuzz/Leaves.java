package io.fanfold.cli.fuzz;

import java.util.Optional;

/** Where an expression gets its operands from: the columns of rows, or the keys and aggregates of groups. */
@FunctionalInterface
interface Leaves {
    /** An operand of that family; empty when there is none. */
    Optional<Expr> leaf(Family family);
}
