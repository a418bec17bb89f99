package io.fanfold.snapshot;

/**
 * The result of one attempt at equal snapshots.
 *
 * @param kind see {@link SnapshotOutcome.SnapshotState}
 * @param detail why they are not proven; "" if they are
 * @param position see {@link SnapshotOutcome#position}
 */
record SnapshotRound(SnapshotOutcome.SnapshotState kind, String detail, String position) {
    static final SnapshotRound VERIFIED = new SnapshotRound(SnapshotOutcome.SnapshotState.VERIFIED, "", "");
    static final SnapshotRound RELAXED = new SnapshotRound(SnapshotOutcome.SnapshotState.RELAXED, "", "");
    static final SnapshotRound LOCKED = new SnapshotRound(SnapshotOutcome.SnapshotState.LOCKED, "", "");

    /** The session's isolation level has no snapshots, according to the server's warning. */
    static final SnapshotRound NO_SNAPSHOT = unprovable("the server took no snapshot");

    static final SnapshotRound OTHER_SERVER = unequal("worker connections lead to another server by now");

    /** They are equal, and show the commits up to a position of the binary log. */
    static SnapshotRound verifiedAt(String position) {
        return new SnapshotRound(SnapshotOutcome.SnapshotState.VERIFIED, "", position);
    }

    /** Transactions committed between the snapshots: another attempt may succeed. */
    static SnapshotRound unequal(String detail) {
        return new SnapshotRound(SnapshotOutcome.SnapshotState.NOT_EQUAL, detail, "");
    }

    /** No attempt with this proof will succeed. */
    static SnapshotRound unprovable(String detail) {
        return new SnapshotRound(SnapshotOutcome.SnapshotState.NOT_PROVABLE, detail, "");
    }
}
