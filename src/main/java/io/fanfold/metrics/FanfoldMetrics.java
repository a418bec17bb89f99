package io.fanfold.metrics;

import java.util.List;

/** What is counted and timed. Every method is safe to call from any thread and returns at once; the defaults do nothing. */
public interface FanfoldMetrics {
    /** Counts nothing. */
    FanfoldMetrics NONE = new FanfoldMetrics() {};

    /** A statement of a client was passed through after it had been looked at for splitting. */
    default void passedThrough(Reason reason) {}

    /** A statement that a fan-out answered stood in a transaction, as the first one or later. */
    default void inTransaction(boolean first) {}

    /**
     * A statement was answered by a fan-out.
     *
     * @param partitions how many partition queries ran
     * @param degree how many worker connections were used at once
     * @param snapshot the proof: {@code verified}, {@code locked} or {@code relaxed}
     * @param filterKeys the number of keys of each dynamic filter that partition queries had
     * @param nanos from the command's arrival to the last byte handed to the client's socket
     */
    default void fannedOut(int partitions, int degree, String snapshot, List<Integer> filterKeys, long nanos) {}

    /**
     * One attempt to open equal snapshots ended.
     *
     * @param outcome {@code verified}, {@code locked}, {@code relaxed}, or why the statement is passed through: {@code
     *     not_provable}, {@code not_equal}, or {@code broken_off} by a kill or a failure
     * @param rounds how often they were opened, 1 or more; at least, where they were broken off
     * @param nanos how long the attempt took
     */
    default void snapshot(String outcome, int rounds, long nanos) {}

    /** A request for worker connections begins to wait in the queue: a query's, or the proxy's own. */
    default void queued() {}

    /** One that waited goes on with connections or without, after so many nanoseconds. */
    default void leftQueue(boolean admitted, long nanos) {}

    /** A query found no place in the queue, or lost it to another user's. */
    default void queueFull() {}

    /** A running fan-out gives a worker connection back before its time, since others wait. */
    default void askedBack() {}

    /** A fan-out was cancelled because its client went away, was killed, or the proxy stops. */
    default void cancelled() {}

    /** A fan-out failed after its answer had begun: the client got an error behind the first rows. */
    default void brokeOff(Reason reason) {}

    default void clientConnected() {}

    default void clientDisconnected() {}
}
