package io.fanfold.execute;

/** What a split costs however little it reads. Measured on two cores, see docs/benchmark.md. Stateless. */
public final class SplitCost {
    /**
     * One more worker: its settings, its snapshot and the proof. Eight workers instead of one over tiny partitions cost
     * 0.6 to 0.8 ms each on MySQL 9.7 and 0.7 to 1.3 ms each on MariaDB 10.11.
     */
    static final long WORKER_NANOS = 1_000_000;

    /** The preflight, the proof and the answer. */
    private static final long FIXED_NANOS = 4_000_000;

    /** A statement that is faster than this without a split gains little from a split whose plan is in doubt. */
    public static final long WORTH_A_TRY_NANOS = 100_000_000;

    private SplitCost() {}

    /** Returns the usual time that a split adds to its reading, in nanoseconds. */
    public static long fixedNanos(int workers) {
        return FIXED_NANOS + workers * WORKER_NANOS;
    }
}
