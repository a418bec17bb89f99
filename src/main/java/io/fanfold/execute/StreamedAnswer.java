package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.config.LimitsConfig;
import io.fanfold.execute.ClientConnection.Answer;
import io.fanfold.execute.ClientConnection.ClientGoneException;
import io.fanfold.execute.ClientConnection.ResultSetHeader;
import io.fanfold.operator.Exchange;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.MergeNode;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;
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
    private record Counted(int partitions, int degree, String snapshot, FilterUse filters) {}

    private final QueryExecution query;
    private final ClientConnection client;
    private final LimitsConfig limits;
    private final MemoryBudget budget;
    private final AnswerCount count;
    private final ProcessListEntry shown;
    private final ServerFlavor flavor;

    StreamedAnswer(
            QueryExecution query,
            ClientConnection client,
            LimitsConfig limits,
            MemoryBudget budget,
            AnswerCount count,
            ProcessListEntry shown,
            ServerFlavor flavor) {
        this.query = query;
        this.client = client;
        this.limits = limits;
        this.budget = budget;
        this.count = count;
        this.shown = shown;
        this.flavor = flavor;
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
        long queueBytes = limits.queryMemoryBytes() / QUEUED_PART / group.degree();
        boolean early = node.certain() && certain;
        try (Exchange flow = new Exchange(node, partitions, early, limits.heldAnswerBytes(), queueBytes, budget)) {
            query.onCancel(flow::cancel);
            WorkerRuns runs = group.stream(plan, node, flow);
            Counted collected = new Counted(group.partitions(), group.degree(), group.snapshot(), group.filters());
            if (begin(flow, runs)) {
                group.endOrRetain();
            }
            Answer answer = client.answer(head);
            query.onCancel(answer::stopWaiting);
            answer(group, collected, flow, runs, answer, node.count() < Long.MAX_VALUE);
        }
    }

    /** Waits for the first rows. Returns whether all rows are there and the workers have ended. */
    private boolean begin(Exchange flow, WorkerRuns runs) throws RefusedException, InterruptedException {
        try {
            boolean all = flow.awaitBegin();
            if (all) {
                runs.await();
            }
            return all;
        } catch (CancellationException e) {
            runs.await();
            throw Failures.cancelled();
        } catch (InterruptedException e) {
            query.cancel(QueryExecution.Cancel.STOPPING);
            runs.settle();
            throw e;
        } catch (RuntimeException | Error e) {
            query.cancel(QueryExecution.Cancel.FAILED);
            runs.settle();
            throw e;
        }
    }

    private void answer(
            WorkerGroup group, Counted counted, Exchange flow, WorkerRuns runs, Answer answer, boolean limited) {
        try {
            rows(flow, answer);
            if (limited) {
                // workers may still read rows beyond the LIMIT
                query.cancel(QueryExecution.Cancel.FAILED);
            }
            runs.settle();
            if (limited) {
                group.close();
            } else {
                group.endOrRetain();
            }
            count.fannedOut(counted.partitions(), counted.degree(), counted.snapshot(), counted.filters());
            answer.end();
        } catch (ClientGoneException e) {
            query.cancel(QueryExecution.Cancel.CLIENT_GONE);
            runs.settle();
            count.cancelled(String.valueOf(e.getMessage()));
        } catch (RefusedException e) {
            sendError(e, answer);
        } catch (CancellationException e) {
            brokenOff(runs, answer);
        } catch (InterruptedException e) {
            if (query.cancelled() == null) {
                query.cancel(QueryExecution.Cancel.STOPPING);
                Thread.currentThread().interrupt();
            }
            brokenOff(runs, answer);
        } catch (RuntimeException | Error e) {
            query.cancel(QueryExecution.Cancel.FAILED);
            runs.settle();
            LOG.warn("an answer broke off", e);
            count.brokeOff(Reason.INTERNAL, e.toString());
            answer.fail(AnswerCount.UNKNOWN_ERROR, "HY000", "the answer broke off: " + e);
        }
    }

    private void rows(Exchange flow, Answer answer) throws ClientGoneException, InterruptedException {
        try (shown) {
            for (byte[] row = flow.next(); row != null; row = flow.next()) {
                answer.row(row);
            }
        }
    }

    /** Sends the client the cause of the failure, after the workers have ended. */
    private void brokenOff(WorkerRuns runs, Answer answer) {
        Optional<RefusedException> failure = runs.settle();
        if (failure.isPresent() && Interruption.late(failure.get().getCause())) {
            query.cancel(QueryExecution.Cancel.LATE);
        }
        QueryExecution.Cancel why = query.cancelled();
        if (why != QueryExecution.Cancel.FAILED) {
            count.cancelled(String.valueOf(why));
            // harmless if the client has disconnected
            Interruption interruption = Interruption.of(why, flavor);
            answer.fail(interruption.errno(), interruption.sqlState(), interruption.message());
            return;
        }
        sendError(failure.orElseGet(Failures::cancelled), answer);
    }

    private void sendError(RefusedException cause, Answer answer) {
        count.brokeOff(cause.reason(), cause.detail());
        if (cause.getCause() instanceof ServerException error) {
            answer.fail(error.errno(), error.sqlState(), String.valueOf(error.getMessage()));
        } else {
            answer.fail(
                    AnswerCount.UNKNOWN_ERROR,
                    "HY000",
                    "the answer broke off: " + cause.reason().sentence() + " (" + cause.detail() + ")");
        }
    }
}
