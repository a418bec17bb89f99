package io.fanfold.operator;

import io.fanfold.plan.MergeNode;
import io.fanfold.row.HeapRoom;
import io.fanfold.row.Row;

/** Collects the rows of one thread into batches. */
final class ExchangeSink implements RowSink {
    private final Exchange flow;
    private final ExchangeBuffer queue;
    private final boolean sorted;
    private final SortedRun run;
    private final int visibleColumns;
    private final int columnsNeeded;
    private RowBatch batch = new RowBatch();

    ExchangeSink(Exchange flow, ExchangeBuffer queue, MergeNode.Streamed node) {
        this.flow = flow;
        this.queue = queue;
        this.sorted = !node.keys().isEmpty();
        this.run = new SortedRun(node.keys());
        this.visibleColumns = node.visibleColumns();
        this.columnsNeeded = Math.max(SortedRun.columnsNeeded(node.keys()), visibleColumns);
    }

    @Override
    public HeapRoom room() {
        return queue.room();
    }

    @Override
    public void partitionStarts(int partitionIndex) {
        run.starts();
        flow.begins(partitionIndex, queue);
    }

    @Override
    public void add(Row row) throws MergeException, BudgetExceededException {
        if (row.columns() < columnsNeeded || !sorted && row.columns() != visibleColumns) {
            throw new MergeException(
                    MergeException.MergeFailure.ROW_SHAPE,
                    "a row has " + row.columns() + " columns (expected: " + columnsNeeded + ")");
        }
        if (sorted) {
            batch.add(row.prefix(visibleColumns), run.next(row).toBytes());
        } else {
            batch.add(row.payload());
        }
        if (batch.bytes() >= RowBatch.FULL_BYTES) {
            handOn();
        }
    }

    @Override
    public void partitionEnds() throws BudgetExceededException {
        batch.setLast();
        handOn();
    }

    private void handOn() throws BudgetExceededException {
        queue.put(batch);
        batch = new RowBatch();
    }

    @Override
    public void ends() {
        queue.end();
    }
}
