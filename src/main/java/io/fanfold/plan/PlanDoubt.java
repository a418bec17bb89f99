package io.fanfold.plan;

import io.fanfold.reason.Refusal;

/**
 * Why a split may take longer than the statement without it.
 *
 * @param rows the rows that each worker would read, by the server's plans; 0 if unknown
 */
public record PlanDoubt(Refusal refusal, long rows) {
    /** A doubt about a split that reads an unknown number of rows. */
    public static PlanDoubt of(Refusal refusal) {
        return new PlanDoubt(refusal, 0);
    }
}
