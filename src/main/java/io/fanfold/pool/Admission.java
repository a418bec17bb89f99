package io.fanfold.pool;

import java.util.List;

/**
 * The result of a {@link WorkerRequest}.
 *
 * @param leases the connections, which the caller closes; empty unless the outcome is {@link AdmissionOutcome#ADMITTED}
 */
public record Admission(List<Lease> leases, AdmissionOutcome outcome) {
    public Admission {
        leases = List.copyOf(leases);
    }

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

    static Admission refused(AdmissionOutcome outcome) {
        return new Admission(List.of(), outcome);
    }
}
