package io.fanfold.backend;

import java.util.List;

/**
 * What became of a {@link WorkerRequest}.
 *
 * @param leases the connections, each to be closed; none unless the outcome is {@link Outcome#ADMITTED}
 */
public record Admission(List<Lease> leases, Outcome outcome) {
    public Admission {
        leases = List.copyOf(leases);
    }

    /** How a request ended. */
    public enum Outcome {
        ADMITTED("there were enough"),
        /** Nobody waits for what can never be. */
        TOO_MANY("more are needed than there may be"),
        /** There was no place in the queue, or it was given up to a user with fewer of them. */
        QUEUE_FULL("the queue is full"),
        WAITED_IN_VAIN("too few were free in time"),
        /** They lead to another server than was asked for. */
        OTHER_SERVER("worker connections lead to another server than the client's"),
        WITHDRAWN("nobody wants them any more"),
        UNREACHABLE("no connection can be opened");

        private final String sentence;

        Outcome(String sentence) {
            this.sentence = sentence;
        }

        /** One clause for the log. */
        public String sentence() {
            return sentence;
        }
    }

    static Admission refused(Outcome outcome) {
        return new Admission(List.of(), outcome);
    }
}
