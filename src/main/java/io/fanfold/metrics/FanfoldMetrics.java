package io.fanfold.metrics;

import io.fanfold.reason.Reason;
import java.util.List;

/**
 * Receives the events that are counted and timed. Every method may be called from any thread and returns at once; the
 * defaults do nothing.
 */
public interface FanfoldMetrics {
    /** Counts nothing. */
    FanfoldMetrics NONE = new FanfoldMetrics() {};

    /**
     * A client's statement is considered for splitting. Exactly one of {@link #passedThrough}, {@link #fannedOut},
     * {@link #cancelled} and {@link #brokeOff} follows.
     */
    default void attempted() {}

    /** A client's statement was passed through after it was considered for splitting. */
    default void passedThrough(Reason reason) {}

    /**
     * A fan-out answered a statement of a transaction.
     *
     * @param first whether it was the transaction's first statement
     */
    default void inTransaction(boolean first) {}

    /**
     * A statement was answered by a fan-out.
     *
     * @param partitions the number of partition queries
     * @param degree the number of worker connections used at the same time
     * @param snapshot the proof: {@code verified}, {@code locked} or {@code relaxed}
     * @param filterKeys the number of keys of each dynamic filter in the partition queries
     * @param nanos from the command's arrival until the last byte was written to the client's channel
     */
    default void fannedOut(int partitions, int degree, String snapshot, List<Integer> filterKeys, long nanos) {}

    /** What became of a partition query of a statement whose tables have reuse switched on. */
    enum ReuseOutcome {
        /** Rows of an earlier query were used. */
        REUSED,
        /** No rows were kept. */
        ABSENT,
        /** The binary log shows a change, or does not reach back to the kept rows. */
        CHANGED,
        /** The binary log was not read up to the statement's snapshots in time. */
        BEHIND
    }

    /**
     * Kept rows were looked for, for one partition query.
     *
     * @param savedNanos how long it took to read them; 0 if there are none
     */
    default void reuse(ReuseOutcome outcome, long savedNanos) {}

    /**
     * An attempt to open equal snapshots ended.
     *
     * @param outcome {@code verified}, {@code locked}, {@code relaxed}, or why the statement is passed through:
     *     {@code not_provable}, {@code not_equal}, or {@code broken_off} by a kill or a failure
     * @param rounds how often the snapshots were opened, 1 or more; a lower bound after {@code broken_off}
     * @param nanos how long the attempt took
     */
    default void snapshot(String outcome, int rounds, long nanos) {}

    /**
     * The server has answered a statement of a client.
     *
     * @param nanos from the command's arrival until its response was complete
     */
    default void relayed(long nanos) {}

    /**
     * An attempt to connect to the server for a client has ended.
     *
     * @param opened whether the server has greeted
     */
    default void serverConnection(boolean opened) {}

    /** A client was refused because too many are connected, or no file handle is free. */
    default void clientRefused() {}

    /** A request for worker connections begins to wait in the queue: one of a query, or of the proxy itself. */
    default void queued() {}

    /**
     * A request has left the queue.
     *
     * @param admitted whether it got connections
     * @param nanos how long it waited
     */
    default void leftQueue(boolean admitted, long nanos) {}

    /** A query found no place in the queue, or lost its place to another user's query. */
    default void queueFull() {}

    /** A running fan-out releases a worker connection early because others wait. */
    default void revoked() {}

    /** A fan-out was cancelled because its client disconnected or was killed, or because the proxy stops. */
    default void cancelled() {}

    /** A fan-out failed after its answer had begun: the client got an error after the first rows. */
    default void brokeOff(Reason reason) {}

    /** The verification of an answer that was split has ended. */
    default void verified(VerifyReport report) {}

    default void clientConnected() {}

    default void clientDisconnected() {}
}
