package io.fanfold.operator;

import io.fanfold.plan.MergeNode;
import io.fanfold.plan.MergeNode.GroupOrder;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;
import org.jspecify.annotations.Nullable;

/** The merged rows of groups in their order, built on demand. */
final class OrderedGroups implements MergedRows {
    /** If more of the first rows are wanted, all groups are sorted instead of keeping the first ones in a heap. */
    private static final long MOST_SMALLEST = 20_000;

    /** The number of records read ahead. */
    private static final int BATCH = 64;

    private final Runnable release;
    private final GroupTable table;
    private final MergedColumns columns;
    private final RowBuilder builder = new RowBuilder();
    private final int rows;
    private int @Nullable [] records;
    private int next;
    private final int end;
    private int touched;

    private OrderedGroups(Runnable release, GroupTable table, MergedColumns columns, int[] records, GroupOrder order) {
        this.release = release;
        this.table = table;
        this.columns = columns;
        this.records = records;
        this.next = (int) Math.min(order.offset(), records.length);
        this.rows = (int) Math.min(order.count(), records.length - next);
        this.end = next + rows;
    }

    /**
     * Sorts groups in the order of a node.
     *
     * @param share counts the heap that this takes
     */
    static MergedRows of(Runnable release, MergeNode.Aggregate node, Groups groups, BudgetShare share)
            throws MergeException, BudgetExceededException {
        GroupOrder order = node.order();
        MergedColumns columns = new MergedColumns(node, groups);
        GroupTable table = groups.table();
        long wanted = order.offset() > Long.MAX_VALUE - order.count() ? Long.MAX_VALUE : order.offset() + order.count();
        if (!order.by().isEmpty() && wanted < table.size() && wanted <= MOST_SMALLEST) {
            return new FirstGroups(release, columns.count(), smallest(groups, columns, wanted, share), order);
        }
        share.use(HeapSize.array(4L * table.size()));
        int[] records = new int[table.size()];
        int count = 0;
        for (int record = table.first(); record >= 0; record = table.next(record)) {
            records[count++] = record;
        }
        if (order.by().isEmpty()) {
            ItemSort.byRanks(records, new RecordKeys(table), share);
        } else if (columns.sortByRecords()) {
            ItemSort.byKeys(records, new RecordKeys(table), share);
        } else {
            EncodedKeys.sort(records, table, columns, share);
        }
        return new OrderedGroups(release, table, columns, records, order);
    }

    private static SmallestRows smallest(Groups groups, MergedColumns columns, long wanted, BudgetShare share)
            throws MergeException, BudgetExceededException {
        SmallestRows smallest = new SmallestRows(wanted, share);
        KeyBuffer key = new KeyBuffer();
        RowBuilder row = new RowBuilder();
        GroupTable table = groups.table();
        for (int record = table.first(); record >= 0; record = table.next(record)) {
            columns.sortKey(record, key);
            long rank = table.rank(record);
            if (smallest.takes(key.bytes(), key.length(), rank)) {
                columns.write(record, row.clear());
                smallest.add(new TopRow(key.toBytes(), rank, row.toPayload()));
            }
        }
        return smallest;
    }

    @Override
    public @Nullable Row next() {
        int record = nextRecord();
        if (record < 0) {
            return null;
        }
        columns.write(record, builder.clear());
        return builder.toRow();
    }

    @Override
    public byte @Nullable [] next(int[] shown) {
        int record = nextRecord();
        if (record < 0) {
            return null;
        }
        builder.clear();
        for (int column : shown) {
            columns.write(record, column, builder);
        }
        return builder.toPayload();
    }

    private int nextRecord() {
        if (records == null) {
            throw new IllegalStateException("the merged rows are closed");
        }
        if (next >= end) {
            return -1;
        }
        if (next >= touched) {
            touched = Math.min(end, next + BATCH);
            table.touch(records, next, touched);
        }
        return records[next++];
    }

    @Override
    public long rows() {
        return rows;
    }

    @Override
    public void close() {
        records = null;
        release.run();
    }

    /** Sort keys that are the keys in the groups' records. */
    private record RecordKeys(GroupRecords records) implements SortKeys {
        @Override
        public byte[] array(int record) {
            return records.chunk(record);
        }

        @Override
        public int start(int record) {
            return GroupRecords.bytesAt(records.chunk(record), records.key(record));
        }

        @Override
        public int end(int record) {
            return start(record) + GroupRecords.length(records.chunk(record), records.key(record));
        }

        @Override
        public long rank(int record) {
            return records.rank(record);
        }
    }
}
