package io.fanfold.execute;

import io.fanfold.backend.Lease;
import io.fanfold.backend.NoRoomException;
import io.fanfold.backend.RowStream;
import io.fanfold.backend.ServerException;
import io.fanfold.backend.WireConnection;
import io.fanfold.execute.PartitionQueries.PartitionQuery;
import io.fanfold.merge.BudgetExceededException;
import io.fanfold.merge.FoldException;
import io.fanfold.merge.PartialFold;
import io.fanfold.merge.RowSink;
import io.fanfold.metrics.Reason;
import io.fanfold.row.Row;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What one worker does: takes partition queries until there is none, and puts their rows into a sink of its own.
 *
 * <p>A worker that others wait for goes before, between two queries, and gives its connection back itself. That is sound:
 * every query that it took was read to its end, and its rows are in its sink, which stays. Those it did not take are left
 * to the other workers, of which the first one never goes: it takes what nobody else does. Each worker has a
 * transaction of its own, and what a snapshot shows does not depend on other transactions, so that the end of one changes nothing
 * for those that were proven to show the same. No worker comes back: a transaction begun now would show another moment.
 * Rows that are merged by keys have one query for each worker, and no worker goes before its query is read; rows without
 * keys come in the order of the partitions, which are taken in that order by however many workers there are.
 */
final class PartitionWork implements Callable<@Nullable Void> {
    private final LiveQuery query;
    private final Lease lease;
    private final PartitionQueries queries;
    private final RowSink sink;
    private final Stay stay;
    private final IntUnaryOperator bytesPerCharacter;

    /** How long a worker keeps its connection. */
    enum Stay {
        /** Whatever happens: its transaction keeps the partitions as they are until all are read. */
        TO_THE_END,
        /** Until others wait for it; there may be work for it after this. */
        WHILE_NOBODY_WAITS,
        /** Until others wait for it, or there is no query left. */
        WHILE_THERE_IS_WORK
    }

    /**
     * Work for one worker.
     *
     * @param queries what is to be run
     * @param bytesPerCharacter how many bytes lengths count for a character, by the id of a collation
     */
    PartitionWork(
            LiveQuery query,
            Lease lease,
            PartitionQueries queries,
            RowSink sink,
            Stay stay,
            IntUnaryOperator bytesPerCharacter) {
        this.query = query;
        this.lease = lease;
        this.queries = queries;
        this.sink = sink;
        this.stay = stay;
        this.bytesPerCharacter = bytesPerCharacter;
    }

    @Override
    public @Nullable Void call() throws Abandoned {
        try {
            boolean goes = false;
            for (PartitionQuery partition = queries.take();
                    partition != null;
                    partition = goes ? null : queries.take()) {
                if (query.cancelled() != null) {
                    throw Abandoned.cancelled();
                }
                read(partition);
                queries.countDone();
                query.progress().queryEnded();
                goes = stay != Stay.TO_THE_END && lease.askedBack();
            }
            if (goes || stay == Stay.WHILE_THERE_IS_WORK) {
                // here, while others are still at work, it costs no time
                lease.endTransaction();
                query.letGo(lease);
                lease.close();
            }
            return null;
        } catch (ServerException e) {
            throw failed(Abandoned.by(e));
        } catch (NoRoomException e) {
            throw failed(new Abandoned(Reason.MEMORY, String.valueOf(e.getMessage())));
        } catch (IOException e) {
            throw failed(new Abandoned(Reason.WORKER_ERROR, e.toString()));
        } catch (FoldException e) {
            throw failed(Abandoned.by(e));
        } catch (BudgetExceededException e) {
            throw failed(new Abandoned(Reason.MEMORY, String.valueOf(e.getMessage())));
        } catch (Abandoned e) {
            throw failed(e);
        } finally {
            sink.ends();
        }
    }

    /** The others' work is of no use any more: they are stopped. */
    private Abandoned failed(Abandoned failure) {
        query.cancel(LiveQuery.Cancel.FAILED);
        return failure;
    }

    private void read(PartitionQuery partition)
            throws IOException, ServerException, FoldException, BudgetExceededException, Abandoned {
        sink.partitionStarts(partition.index());
        WireConnection connection = lease.connection();
        try (RowStream rows = connection.stream(partition.sql().get(), sink.room())) {
            if (rows.columns().isEmpty()) {
                throw connection.unexpected("a partition query was answered without a result set");
            }
            // of rows that flow the client may have the first ones already
            CutTexts texts =
                    sink instanceof PartialFold ? CutTexts.of(rows.columns(), bytesPerCharacter) : CutTexts.UNCHECKED;
            try {
                for (Row row = rows.next(); row != null; row = rows.next()) {
                    texts.refuse(row);
                    sink.add(row);
                }
                if (!connection.inTransaction()) {
                    throw connection.unexpected("a partition query was not read in its transaction");
                }
                if (rows.warnings() > 0) {
                    throw new Abandoned(Reason.WARNINGS, rows.warnings() + " in one partition query");
                }
                sink.partitionEnds();
            } catch (CancellationException e) {
                // the statement is being killed: read on to its end, so that the connection lives on
                rows.skipRest();
                throw Abandoned.cancelled();
            }
        }
    }
}
