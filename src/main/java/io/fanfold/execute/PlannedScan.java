package io.fanfold.execute;

import io.fanfold.plan.StatementPlan;

/**
 * A complete plan and the workers that have snapshots for it.
 *
 * @param server the names of the servers that the workers read
 * @param degree the number of workers
 * @param snapshot the proof: {@code verified}, {@code locked} or {@code relaxed}
 */
record PlannedScan(FanOutTask task, StatementPlan plan, String server, int degree, String snapshot) {}
