package io.fanfold.backend;

/**
 * What one attempt at equal snapshots showed.
 *
 * @param kind what is known of them
 * @param detail why they are not proven; "" where they are
 */
record SnapshotRound(SnapshotOutcome.Kind kind, String detail) {
    static final SnapshotRound VERIFIED = new SnapshotRound(SnapshotOutcome.Kind.VERIFIED, "");
    static final SnapshotRound LOCKED = new SnapshotRound(SnapshotOutcome.Kind.LOCKED, "");

    /** The session's isolation level has no snapshots, and the server said so by a warning. */
    static final SnapshotRound NO_SNAPSHOT = unprovable("the server took no snapshot");

    static final SnapshotRound OTHER_SERVER = unequal("worker connections lead to another server by now");

    /** Commits came in between: another attempt may succeed. */
    static SnapshotRound unequal(String detail) {
        return new SnapshotRound(SnapshotOutcome.Kind.NOT_EQUAL, detail);
    }

    /** No attempt of this kind will succeed. */
    static SnapshotRound unprovable(String detail) {
        return new SnapshotRound(SnapshotOutcome.Kind.NOT_PROVABLE, detail);
    }
}
