package io.fanfold.execute;

import io.fanfold.backend.Lease;
import io.fanfold.backend.RowStream;
import io.fanfold.backend.ServerException;
import io.fanfold.execute.PartitionQueries.PartitionQuery;
import io.fanfold.merge.BudgetExceededException;
import io.fanfold.merge.FoldException;
import io.fanfold.merge.RowSink;
import io.fanfold.metrics.Reason;
import io.fanfold.row.Row;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * What one worker does: takes partition queries until there is none, and puts their rows into a sink of its own.
 */
final class PartitionWork implements Callable<@Nullable Void> {
    /** The detail of a failure that is only the consequence of another. */
    static final String CANCELLED = "cancelled";

    private final LiveQuery query;
    private final Lease lease;
    private final PartitionQueries queries;
    private final RowSink sink;
    private final boolean endsTransaction;

    /**
     * Work for one worker.
     *
     * @param queries what is to be run
     * @param endsTransaction whether the worker's snapshot is of no further use
     */
    PartitionWork(LiveQuery query, Lease lease, PartitionQueries queries, RowSink sink, boolean endsTransaction) {
        this.query = query;
        this.lease = lease;
        this.queries = queries;
        this.sink = sink;
        this.endsTransaction = endsTransaction;
    }

    @Override
    public @Nullable Void call() throws Abandoned {
        try {
            for (PartitionQuery partition = queries.take(); partition != null; partition = queries.take()) {
                if (query.cancelled() != null) {
                    throw new Abandoned(Reason.INTERNAL, CANCELLED);
                }
                read(partition);
                queries.countDone();
            }
            if (endsTransaction) {
                // here, while others are still at work, it costs no time
                lease.endTransaction();
            }
            return null;
        } catch (ServerException e) {
            throw failed(Abandoned.by(e));
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
        try (RowStream rows = lease.connection().stream(partition.sql().getBytes(StandardCharsets.UTF_8))) {
            try {
                for (Row row = rows.next(); row != null; row = rows.next()) {
                    sink.add(row);
                }
                if (rows.warnings() > 0) {
                    throw new Abandoned(Reason.WARNINGS, rows.warnings() + " in one partition query");
                }
                sink.partitionEnds();
            } catch (CancellationException e) {
                // the statement is being killed: read on to its end, so that the connection lives on
                rows.skipRest();
                throw new Abandoned(Reason.INTERNAL, CANCELLED);
            }
        }
    }
}
