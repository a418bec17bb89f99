package io.fanfold.sql;

import java.util.Optional;

/** The hint of a statement for Fanfold that decides whether it is split. Immutable. */
public sealed interface Hint {
    /** No hint. */
    record None() implements Hint {}

    /** {@code NO_PARALLEL}: never split. */
    record NoParallel() implements Hint {}

    /**
     * {@code PARALLEL} or {@code PARALLEL(n)}: split even below the cost gate.
     *
     * @param degree the requested degree, 1 or more; empty if not given
     */
    record Parallel(Optional<Integer> degree) implements Hint {}
}
