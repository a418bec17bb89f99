package io.fanfold.execute;

import io.fanfold.discovery.CatalogService;
import io.fanfold.discovery.SplitObserver;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.pool.WorkerPool;
import java.util.concurrent.ExecutorService;

/** The services and thread pools that all runs share. */
record FanOutResources(
        WorkerPool workers,
        CatalogService catalog,
        MemoryBudget memory,
        QueryRegistry registry,
        RecentRefusals refusals,
        ExecutionHistory history,
        FailedAttempts attempts,
        SplitObserver observer,
        ExecutorService coordinators,
        ExecutorService workerThreads,
        ExecutorService killers) {}
