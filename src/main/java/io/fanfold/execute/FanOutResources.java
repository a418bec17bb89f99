package io.fanfold.execute;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.discovery.CatalogService;
import io.fanfold.discovery.SplitObserver;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.pool.WorkerPool;
import io.fanfold.pool.WorkerServers;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * The services and thread pools that all runs share.
 *
 * @param settings those that hold now
 * @param reading its permits bound how many statements are read at the same time
 */
record FanOutResources(
        Supplier<FanfoldConfig> settings,
        WorkerServers servers,
        PrimaryLog primaryLog,
        CatalogService catalog,
        LogicalPlans plans,
        KeyRanges keyRanges,
        PartialReuse reuse,
        MemoryBudget memory,
        QueryRegistry registry,
        RecentRefusals refusals,
        ExecutionHistory history,
        FailedAttempts attempts,
        StatementStatistics statistics,
        SplitObserver observer,
        SlowStatements slow,
        Verifier verifier,
        Semaphore reading,
        ExecutorService workerThreads,
        ExecutorService killers) {

    /** The worker connections to the primary. */
    WorkerPool workers() {
        return servers.primary().pool();
    }

    /** Forgets refusals and failures, since the same statements may be splittable now. */
    void forget() {
        refusals.clear();
        attempts.clear();
        keyRanges.forget();
        servers.all().forEach(server -> server.pool().snapshots().forget());
    }

    /** Forgets what a statement may have left that ran under other settings than those that hold now. */
    void forgetUnder(FanfoldConfig used) {
        if (!used.equals(settings.get())) {
            forget();
            history.clearTimes();
        }
    }
}
