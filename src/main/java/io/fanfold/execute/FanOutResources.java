package io.fanfold.execute;

import io.fanfold.discovery.CatalogService;
import io.fanfold.discovery.SplitObserver;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.pool.WorkerPool;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;

/**
 * The services and thread pools that all runs share.
 *
 * @param reading its permits bound how many statements are read at the same time
 */
record FanOutResources(
        WorkerPool workers,
        CatalogService catalog,
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
        ExecutorService killers) {}
