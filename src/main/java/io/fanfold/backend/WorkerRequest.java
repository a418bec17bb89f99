package io.fanfold.backend;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * A wish for worker connections, made once. Its state belongs to the {@link Permits} it is made to, and is guarded by
 * their lock.
 */
public final class WorkerRequest {
    final @Nullable String user;
    final @Nullable String server;
    final int atMost;
    final int atLeast;
    final Duration wait;

    @Nullable
    Condition changed;

    Admission.@Nullable Outcome outcome;
    Permits.@Nullable Holding holding;

    /**
     * A wish.
     *
     * @param user whose connections they count as; null for the proxy's own, which no limit and no length of the queue
     *     concerns
     * @param atMost how many are wanted, 1 or more
     * @param atLeast how few will do, 1..atMost
     * @param wait how long to wait for the fewest
     */
    public WorkerRequest(@Nullable String user, int atMost, int atLeast, Duration wait) {
        this(user, null, atMost, atLeast, wait);
    }

    /**
     * A wish for connections to one server alone.
     *
     * @param server its {@link ServerFacts#serverKey}; null for any
     */
    public WorkerRequest(@Nullable String user, @Nullable String server, int atMost, int atLeast, Duration wait) {
        if (atLeast < 1 || atMost < atLeast) {
            throw new IllegalArgumentException("worker connections wanted: " + atLeast + " to " + atMost);
        }
        this.user = user;
        this.server = server;
        this.atMost = atMost;
        this.atLeast = atLeast;
        this.wait = wait;
    }

    boolean open() {
        return outcome == null;
    }
}
