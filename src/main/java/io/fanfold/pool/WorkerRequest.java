package io.fanfold.pool;

import io.fanfold.client.ServerFacts;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * A request for worker connections, for one use. Its state belongs to the {@link AdmissionController} that serves it, and is guarded
 * by its lock.
 */
public final class WorkerRequest {
    /** How a request ended. */
    public enum AdmissionOutcome {
        ADMITTED("there were enough"),
        /** The request needs more connections than the limits allow, so waiting is useless. */
        TOO_MANY("more are needed than there may be"),
        /** The queue had no place, or the place was given to a user with fewer requests. */
        QUEUE_FULL("the queue is full"),
        WAITED_IN_VAIN("too few were free in time"),
        /** The connections reach another server than requested. */
        OTHER_SERVER("worker connections lead to another server than the client's"),
        WITHDRAWN("nobody wants them any more"),
        UNREACHABLE("no connection can be opened");

        private final String sentence;

        AdmissionOutcome(String sentence) {
            this.sentence = sentence;
        }

        /** Returns one clause for the log. */
        public String sentence() {
            return sentence;
        }
    }

    final @Nullable String user;
    final @Nullable String server;
    final int atMost;
    final int atLeast;
    final Duration wait;

    @Nullable
    Condition changed;

    @Nullable
    AdmissionOutcome outcome;

    AdmissionController.@Nullable Holding holding;

    /**
     * Creates a request.
     *
     * @param user the user whose limit applies; null for the proxy itself, which neither limits nor the queue length
     *     concern
     * @param atMost the wanted number of connections, 1 or more
     * @param atLeast the smallest acceptable number, 1..atMost
     * @param wait how long to wait for {@code atLeast} connections
     */
    public WorkerRequest(@Nullable String user, int atMost, int atLeast, Duration wait) {
        this(user, null, atMost, atLeast, wait);
    }

    /**
     * Creates a request for connections to one server only.
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
