package io.fanfold.pool;

import io.fanfold.pool.WorkerRequest.AdmissionOutcome;
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

    static Admission refused(AdmissionOutcome outcome) {
        return new Admission(List.of(), outcome);
    }
}
