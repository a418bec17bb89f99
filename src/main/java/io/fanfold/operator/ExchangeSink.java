package io.fanfold.operator;

import io.fanfold.plan.MergeNode;
import io.fanfold.row.HeapRoom;
import io.fanfold.row.Row;

/**
 * Collects the rows of one thread into batches. Rows that are not merged by sort keys may also be added as packets, without a
 * look at each.
 */
public final class ExchangeSink implements RowSink {
    /** The most bytes of one call of {@link #addPackets}. */
    public static final int PACKETS_BYTES = RowBatch.FULL_BYTES;

    private final Exchange exchange;
    private final ExchangeBuffer buffer;
    private final boolean sorted;
    private final SortedRun run;
    private final int visibleColumns;
    private final int columnsNeeded;
    private RowBatch batch = new RowBatch();

    ExchangeSink(Exchange exchange, ExchangeBuffer buffer, MergeNode.Streamed node) {
        this.exchange = exchange;
        this.buffer = buffer;
        this.sorted = !node.keys().isEmpty();
        this.run = new SortedRun(node.keys());
        this.visibleColumns = node.visibleColumns();
        this.columnsNeeded = Math.max(SortedRun.columnsNeeded(node.keys()), visibleColumns);
    }

    @Override
    public HeapRoom room() {
        return buffer.room();
    }

    @Override
    public void partitionStarts(int number) {
        run.starts();
        exchange.begins(number, buffer);
    }

    @Override
    public void add(Row row) throws MergeException, BudgetExceededException {
        if (row.columns() < columnsNeeded || !sorted && row.columns() != visibleColumns) {
            throw new MergeException(
                    MergeException.MergeFailure.ROW_SHAPE,
                    "a row has " + row.columns() + " columns (expected: " + columnsNeeded + ")");
        }
        int size = row.prefixLength(visibleColumns);
        if (size < RowBatch.LARGE_ROW) {
            batch.add(row.payload(), size);
        } else {
            if (batch.size() > 0) {
                handOn();
            }
            batch.addLarge(row.prefix(visibleColumns));
        }
        if (sorted) {
            batch.addKey(run.next(row).toBytes());
        }
        if (batch.full()) {
            handOn();
        }
    }

    /** Whether {@link #addPackets} may be called with rows of this number of columns. */
    public boolean takesPackets(int columns) {
        return !sorted && columns == visibleColumns;
    }

    /**
     * Adds rows as packets, one for each row, with any sequence ids. The bytes are not retained.
     *
     * @param from the index of the first packet's header
     * @param to the index after the last packet, at most {@link #PACKETS_BYTES} later
     * @param rows the number of packets
     * @throws BudgetExceededException as {@link #add}
     * @throws java.util.concurrent.CancellationException as {@link #add}
     */
    public void addPackets(byte[] bytes, int from, int to, int rows) throws BudgetExceededException {
        if (sorted) {
            throw new IllegalStateException("these rows are merged by their keys");
        }
        if (!batch.hasRoom(to - from)) {
            handOn();
        }
        batch.addPackets(bytes, from, to, rows);
        if (batch.full()) {
            handOn();
        }
    }

    @Override
    public void partitionEnds() throws BudgetExceededException {
        batch.setLast();
        handOn();
    }

    private void handOn() throws BudgetExceededException {
        buffer.put(batch);
        batch = new RowBatch();
    }

    @Override
    public void ends() {
        buffer.end();
    }
}
