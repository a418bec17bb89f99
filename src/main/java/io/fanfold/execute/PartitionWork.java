package io.fanfold.execute;

import io.fanfold.backend.Lease;
import io.fanfold.backend.RowStream;
import io.fanfold.backend.ServerException;
import io.fanfold.merge.BudgetExceededException;
import io.fanfold.merge.FoldException;
import io.fanfold.merge.PartialFold;
import io.fanfold.metrics.Reason;
import io.fanfold.plan.FanOutPlan;
import io.fanfold.plan.PartitionShare;
import io.fanfold.row.Row;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What one worker does: takes shares of the partitions from the common list, the largest first, until there is none, and
 * folds their rows into a partial fold of its own.
 */
final class PartitionWork implements Callable<PartialFold> {
    /** The detail of a failure that is only the consequence of another. */
    static final String CANCELLED = "cancelled";

    private final LiveQuery query;
    private final Lease lease;
    private final FanOutPlan plan;
    private final List<PartitionShare> shares;
    private final AtomicInteger next;
    private final AtomicInteger done;
    private final PartialFold partial;
    private final boolean endsTransaction;

    /**
     * Work for one worker.
     *
     * @param shares what is read, the largest first
     * @param next index of the next share nobody has taken
     * @param done counts partitions that were read to their end
     * @param endsTransaction whether the worker's snapshot is of no further use
     */
    PartitionWork(
            LiveQuery query,
            Lease lease,
            FanOutPlan plan,
            List<PartitionShare> shares,
            AtomicInteger next,
            AtomicInteger done,
            PartialFold partial,
            boolean endsTransaction) {
        this.query = query;
        this.lease = lease;
        this.plan = plan;
        this.shares = shares;
        this.next = next;
        this.done = done;
        this.partial = partial;
        this.endsTransaction = endsTransaction;
    }

    @Override
    public PartialFold call() throws Abandoned {
        try {
            for (int i = next.getAndIncrement(); i < shares.size(); i = next.getAndIncrement()) {
                if (query.cancelled() != null) {
                    throw new Abandoned(Reason.INTERNAL, CANCELLED);
                }
                PartitionShare share = shares.get(i);
                read(share);
                done.addAndGet(share.partitions().size());
            }
            if (endsTransaction) {
                // here, while others are still at work, it costs no time
                lease.endTransaction();
            }
            return partial;
        } catch (ServerException e) {
            throw failed(Reason.WORKER_ERROR, e.errno() + ": " + e.getMessage());
        } catch (IOException e) {
            throw failed(Reason.WORKER_ERROR, e.toString());
        } catch (FoldException e) {
            throw failed(Reason.VALUE, e.kind() + ": " + e.getMessage());
        } catch (BudgetExceededException e) {
            throw failed(Reason.MEMORY, String.valueOf(e.getMessage()));
        } catch (Abandoned e) {
            query.cancel(LiveQuery.Cancel.FAILED);
            throw e;
        }
    }

    /** The others' work is of no use any more: they are stopped. */
    private Abandoned failed(Reason reason, String detail) {
        query.cancel(LiveQuery.Cancel.FAILED);
        return new Abandoned(reason, detail);
    }

    private void read(PartitionShare share)
            throws IOException, ServerException, FoldException, BudgetExceededException, Abandoned {
        partial.partitionStarts(share.first());
        byte[] sql = plan.partitionQuery(share.names()).getBytes(StandardCharsets.UTF_8);
        try (RowStream rows = lease.connection().stream(sql)) {
            for (Row row = rows.next(); row != null; row = rows.next()) {
                partial.add(row);
            }
            if (rows.warnings() > 0) {
                throw new Abandoned(Reason.WARNINGS, rows.warnings() + " in one partition query");
            }
        }
    }
}
