package io.fanfold.execute;

import io.fanfold.client.PacketOutput;
import io.fanfold.client.RowStream;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.execute.PartQueries.PartQuery;
import io.fanfold.execute.StatementReuse.PartReuse;
import io.fanfold.operator.BudgetExceededException;
import io.fanfold.operator.ExchangeSink;
import io.fanfold.operator.MergeException;
import io.fanfold.operator.PartialMerge;
import io.fanfold.operator.RowSink;
import io.fanfold.pool.Lease;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.reuse.PartialResult;
import io.fanfold.reuse.PartialResults;
import io.fanfold.row.Row;
import io.fanfold.wire.PacketCodec;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The work of one worker: takes partition queries until there are none left, and puts their rows into its own sink.
 *
 * <p>A worker that others wait for may stop early, between two queries, and release its own connection. That is safe.
 * It has read all its queries to the end, and their rows remain in its sink. The remaining queries are left to the
 * other workers; the first worker of a server never stops early, and takes what no other takes.
 *
 * <p>Each worker has its own transaction, and a snapshot does not depend on other transactions. So the end of one
 * changes nothing for the others, which were proven to see the same data. A worker never resumes: a new transaction
 * would see another moment.
 *
 * <p>Rows that are merged by sort keys have one query for each worker, and no worker stops before its query is read.
 * Rows without sort keys are taken in partition order, by any number of workers.
 */
final class WorkerRun implements Callable<@Nullable Void> {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerRun.class);

    private final QueryExecution query;
    private final Lease lease;
    private final PartQueries queries;
    private final RowSink sink;
    private final Retention retention;
    private final IntUnaryOperator bytesPerCharacter;
    private final ServerLoad load;

    /** How long a worker keeps its connection. */
    enum Retention {
        /** Until the end. It is the only worker, so it sends the end of its transaction right after its last query. */
        ALONE,
        /** Until the end: its transaction keeps the partitions as they are until all are read. */
        TO_THE_END,
        /** Until another query waits for it; more work may follow after its queries. */
        WHILE_NOBODY_WAITS,
        /** Until another query waits for it, or there is no query left. */
        WHILE_THERE_IS_WORK
    }

    /**
     * Work for one worker.
     *
     * @param queries the queries to take from
     * @param bytesPerCharacter the bytes that lengths count for a character, by collation id
     * @param load counts the queries
     */
    WorkerRun(
            QueryExecution query,
            Lease lease,
            PartQueries queries,
            RowSink sink,
            Retention retention,
            IntUnaryOperator bytesPerCharacter,
            ServerLoad load) {
        this.query = query;
        this.lease = lease;
        this.queries = queries;
        this.sink = sink;
        this.retention = retention;
        this.bytesPerCharacter = bytesPerCharacter;
        this.load = load;
    }

    @Override
    public @Nullable Void call() throws RefusedException {
        try {
            boolean goes = false;
            Deque<PartQuery> sent = new ArrayDeque<>();
            boolean more = send(sent);
            while (!sent.isEmpty()) {
                requireWanted();
                PartQuery next = sent.remove();
                next.run().starts(lease.connection().threadId(), System.nanoTime());
                load.begins();
                try {
                    read(next);
                } finally {
                    load.ends();
                }
                queries.countDone();
                query.progress().ended(next.run());
                goes = goes || mayGo() && lease.revoked();
                more = more && !goes && send(sent);
            }
            if (retention == Retention.ALONE) {
                lease.awaitEnd();
            } else if (goes || retention == Retention.WHILE_THERE_IS_WORK) {
                // done here, while others still work, this takes no extra time
                lease.endTransaction();
                query.letGo(lease);
                lease.close();
            }
            return null;
        } catch (ServerException | IOException | MergeException | BudgetExceededException | RefusedException e) {
            throw failed(FailureMap.of(e));
        } finally {
            sink.ends();
        }
    }

    private boolean mayGo() {
        return retention == Retention.WHILE_NOBODY_WAITS || retention == Retention.WHILE_THERE_IS_WORK;
    }

    /**
     * Sends queries until enough are sent ahead of the one that is read next.
     *
     * @return whether the queue may have more
     */
    private boolean send(Deque<PartQuery> sent)
            throws IOException, RefusedException, MergeException, BudgetExceededException {
        while (sent.size() <= queries.ahead()) {
            requireWanted();
            PartQuery next = queries.take();
            if (next == null) {
                if (retention == Retention.ALONE) {
                    lease.sendEnd();
                }
                return false;
            }
            PartialResult known = next.known();
            if (known == null) {
                lease.connection().sendAhead(next.sql().get());
                sent.add(next);
            } else {
                reuse(next, known);
            }
        }
        return true;
    }

    /** Puts the rows of an earlier query into the sink. */
    private void reuse(PartQuery next, PartialResult known)
            throws MergeException, BudgetExceededException, RefusedException {
        next.run().reuses(known.readNanos(), System.nanoTime());
        sink.partitionStarts(next.index());
        try {
            for (Row row : known.rows()) {
                next.run().row(row.payload().length);
                sink.add(row);
            }
            sink.partitionEnds();
        } catch (CancellationException e) {
            throw FailureMap.cancelled();
        }
        queries.countDone();
        query.progress().reused(next.run(), known.nanos());
    }

    private void requireWanted() throws RefusedException {
        if (query.cancelled() != null) {
            throw FailureMap.cancelled();
        }
    }

    /** Stops the other workers, since their work is no longer needed. */
    private RefusedException failed(RefusedException failure) {
        query.cancel(QueryExecution.Cancel.FAILED);
        try {
            // a query sent ahead must not run on when the connection is given back; until then it is killed
            lease.connection().skipAnswers();
        } catch (IOException e) {
            LOG.debug("a worker connection broke while its statements were killed", e);
        }
        return failure;
    }

    private void read(PartQuery partition)
            throws IOException, ServerException, MergeException, BudgetExceededException, RefusedException {
        sink.partitionStarts(partition.index());
        WireConnection connection = lease.connection();
        PartReuse reuse = partition.reuse();
        try (RowStream rows = connection.streamNext(sink.room())) {
            if (rows.columns().isEmpty()) {
                throw connection.unexpected("a partition query was answered without a result set");
            }
            // of streamed rows, the client may already have the first ones
            CutTexts texts =
                    sink instanceof PartialMerge ? CutTexts.of(rows.columns(), bytesPerCharacter) : CutTexts.UNCHECKED;
            try (PartialResults.@Nullable Recorder recorder = reuse == null
                    ? null
                    : reuse.record(rows.columns().size(), partition.run().startNanos())) {
                for (Row row = next(rows, partition.run()); row != null; row = next(rows, partition.run())) {
                    texts.refuse(row);
                    partition.run().row(row.payload().length);
                    sink.add(row);
                    if (recorder != null) {
                        recorder.add(row);
                    }
                }
                if (!connection.inTransaction()) {
                    throw connection.unexpected("a partition query was not read in its transaction");
                }
                if (rows.warnings() > 0) {
                    throw new RefusedException(Reason.WARNINGS, rows.warnings() + " in one partition query");
                }
                sink.partitionEnds();
                if (reuse != null
                        && recorder != null
                        && reuse.keep(recorder, partition.run().nanos(System.nanoTime()))) {
                    query.progress().kept();
                }
            } catch (CancellationException e) {
                // the statement is being killed: read its rows to the end, so that the connection stays usable
                rows.skipRest();
                throw FailureMap.cancelled();
            }
        }
    }

    /** Puts rows into the sink as packets, as far as that is possible, and returns the row after them; null at the end. */
    private @Nullable Row next(RowStream rows, PartRun run)
            throws IOException, ServerException, BudgetExceededException {
        if (sink instanceof ExchangeSink exchange
                && exchange.takesPackets(rows.columns().size())) {
            PacketOutput<BudgetExceededException> packets = (bytes, from, to, count) -> {
                run.rows(count, to - from - count * PacketCodec.HEADER);
                exchange.addPackets(bytes, from, to, count);
            };
            while (rows.forward(ExchangeSink.PACKETS_BYTES, packets) > 0) {
                // more may have arrived
            }
        }
        return rows.next();
    }
}
