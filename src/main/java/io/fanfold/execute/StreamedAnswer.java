package io.fanfold.execute;

import io.fanfold.config.LimitsConfig;
import io.fanfold.execute.ClientConnection.Answer;
import io.fanfold.execute.ClientConnection.ClientGoneException;
import io.fanfold.execute.ClientConnection.ResultSetHeader;
import io.fanfold.execute.QueryExecution.Cancel;
import io.fanfold.operator.Exchange;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.MergeNode;
import io.fanfold.reason.RefusedException;
import java.util.concurrent.CancellationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers with plain rows while workers still read. Rows are buffered until there are enough of them, or all. Until
 * then a failure passes the statement through. After that it ends the answer with an error, as for a statement killed
 * on the server, and stops all workers.
 */
final class StreamedAnswer {
    private static final Logger LOG = LoggerFactory.getLogger(StreamedAnswer.class);

    /** The queues of one query together hold at most its memory divided by this. */
    private static final int QUEUED_PART = 4;

    /** The figures of a fan-out whose connections may already have been released. */
    private record Counted(PartCount partitions, int degree, String snapshot, FilterUse filters) {}

    private final FanOutScope scope;
    private final QueryExecution query;
    private final MemoryBudget budget;
    private final AnswerCount count;
    private final ProcessListEntry shown;

    StreamedAnswer(FanOutScope scope, QueryExecution query, MemoryBudget budget, ProcessListEntry shown) {
        this.scope = scope;
        this.query = query;
        this.budget = budget;
        this.count = scope.count();
        this.shown = shown;
    }

    /**
     * Runs the partition queries and answers.
     *
     * @param head the part of the answer before the rows
     * @param certain whether reading the tables can fail only for external causes, such as a lost connection
     * @throws RefusedException if it failed before the answer began
     */
    void run(WorkerGroup group, FanOutPlan plan, ResultSetHeader head, boolean certain)
            throws RefusedException, InterruptedException {
        MergeNode.Streamed node = (MergeNode.Streamed) plan.merge();
        int partitions = group.streams(node);
        query.progress().begins(partitions, false);
        LimitsConfig limits = scope.config().limits();
        long bufferBytes = limits.queryMemoryBytes() / QUEUED_PART / group.degree();
        boolean early = node.certain() && certain;
        try (Exchange exchange = new Exchange(node, partitions, early, limits.heldAnswerBytes(), bufferBytes, budget)) {
            query.onCancel(exchange::cancel);
            WorkerRuns runs = group.stream(plan, node, exchange);
            Counted collected = new Counted(group.partitions(), group.degree(), group.snapshot(), group.filters());
            if (begin(exchange, runs)) {
                scope.check().ifPresent(group::handOver);
                group.endOrRetain();
            }
            Answer answer = scope.answer(head);
            query.onCancel(answer::stopWaiting);
            answer(group, collected, exchange, runs, answer, node.count() < Long.MAX_VALUE);
        }
    }

    /** Waits for the first rows. Returns whether all rows are there and the workers have ended. */
    private boolean begin(Exchange exchange, WorkerRuns runs) throws RefusedException, InterruptedException {
        try {
            boolean all = exchange.awaitBegin();
            if (all) {
                runs.await();
            }
            return all;
        } catch (CancellationException e) {
            runs.await();
            throw FailureMap.cancelled();
        } catch (InterruptedException e) {
            query.cancel(Cancel.STOPPING);
            runs.settle();
            throw e;
        } catch (RuntimeException | Error e) {
            query.cancel(Cancel.FAILED);
            runs.settle();
            throw e;
        }
    }

    private void answer(
            WorkerGroup group, Counted counted, Exchange exchange, WorkerRuns runs, Answer answer, boolean limited) {
        try {
            rows(exchange, answer);
            if (limited) {
                // workers may still read rows beyond the LIMIT
                query.cancel(Cancel.FAILED);
            }
            runs.settle();
            scope.check().ifPresent(group::handOver);
            if (limited) {
                group.close();
            } else {
                group.endOrRetain();
            }
            count.fannedOut(counted.partitions(), counted.degree(), counted.snapshot(), counted.filters());
            answer.end();
        } catch (ClientGoneException e) {
            query.cancel(Cancel.CLIENT_GONE);
            runs.settle();
            fail(e, answer);
        } catch (RefusedException e) {
            fail(e, answer);
        } catch (CancellationException e) {
            fail(cause(runs), answer);
        } catch (InterruptedException e) {
            if (query.cancelled() == null) {
                query.cancel(Cancel.STOPPING);
                Thread.currentThread().interrupt();
            }
            fail(cause(runs), answer);
        } catch (RuntimeException | Error e) {
            query.cancel(Cancel.FAILED);
            runs.settle();
            LOG.warn("an answer broke off", e);
            fail(e, answer);
        }
    }

    /** Waits until the workers have ended, and returns the cause of the failure. */
    private RefusedException cause(WorkerRuns runs) {
        RefusedException cause = runs.settle().orElseGet(FailureMap::cancelled);
        Cancel cancel = FailureMap.cancels(cause);
        if (cancel != null) {
            query.cancel(cancel);
        }
        return cause;
    }

    private void fail(Throwable failure, Answer answer) {
        count.failed(FailureMap.duringAnswer(failure, query.cancelled(), scope.flavor()), answer);
    }

    private void rows(Exchange exchange, Answer answer) throws ClientGoneException, InterruptedException {
        try (shown) {
            while (exchange.next(answer)) {
                // all rows are written
            }
        }
    }
}
