package io.fanfold.operator;

import io.fanfold.plan.MergeNode;
import io.fanfold.plan.MergeNode.Average;
import io.fanfold.plan.MergeNode.SortColumn;
import io.fanfold.plan.SortKey;
import io.fanfold.row.RowBuilder;
import java.util.List;
import java.util.Optional;

/**
 * The columns of merged rows: the keys' values, the accumulators' results and the averages. Also makes the byte strings
 * by which rows are sorted. For one thread.
 */
final class MergedColumns {
    private final MergeNode.Aggregate node;
    private final Groups groups;
    private final int keys;
    private final int accumulators;
    private final List<Optional<SortKey>> compared;
    private final List<SortColumn> by;
    private final RowBuilder scratch = new RowBuilder();

    MergedColumns(MergeNode.Aggregate node, Groups groups) {
        this.node = node;
        this.groups = groups;
        this.keys = node.keys().size();
        this.accumulators = node.functions().size();
        this.compared = node.keys().stream().map(MergeNode.GroupKey::compare).toList();
        this.by = node.order().by();
    }

    int count() {
        return node.columns();
    }

    /** Whether the sort order is that of the keys in the records. */
    boolean sortByRecords() {
        boolean upwards = by.size() == keys;
        for (int i = 0; upwards && i < keys; i++) {
            upwards = by.get(i).column() == i && !by.get(i).descending();
        }
        return upwards;
    }

    /** Adds all columns as values of a row. */
    void write(int record, RowBuilder to) {
        GroupTable table = groups.table();
        byte[] chunk = table.chunk(record);
        int values = table.values(record);
        to.addAll(chunk, GroupRecords.bytesAt(chunk, values), GroupRecords.length(chunk, values), keys);
        for (int column = keys; column < node.columns(); column++) {
            write(record, column, to);
        }
    }

    /** Adds one column as a value of a row. */
    void write(int record, int column, RowBuilder to) {
        if (column < keys) {
            writeKey(record, column, to);
        } else if (column < keys + accumulators) {
            writeAccumulator(record, column - keys, to);
        } else {
            writeAverage(record, node.averages().get(column - keys - accumulators), to);
        }
    }

    private void writeKey(int record, int key, RowBuilder to) {
        GroupTable table = groups.table();
        byte[] chunk = table.chunk(record);
        int values = table.values(record);
        int at = GroupRecords.bytesAt(chunk, values);
        if (keys == 1) {
            to.addAll(chunk, at, GroupRecords.length(chunk, values), 1);
            return;
        }
        for (int i = 0; i < key; i++) {
            at = RowBuilder.end(chunk, at);
        }
        to.addAll(chunk, at, RowBuilder.end(chunk, at) - at, 1);
    }

    private void writeAccumulator(int record, int accumulator, RowBuilder to) {
        AccumulatorLayout layout = groups.layout();
        if (layout.sumOf(accumulator) >= 0) {
            groups.sums().write(record, layout.sumOf(accumulator), to);
        } else {
            groups.states(record)[layout.stateOf(accumulator)].write(layout.accumulator(accumulator), to);
        }
    }

    private void writeAverage(int record, Average average, RowBuilder to) {
        GroupSums sums = groups.sums();
        AccumulatorLayout layout = groups.layout();
        int sum = layout.sumOf(average.sumIndex());
        int count = layout.sumOf(average.countIndex());
        if (sums.none(record, sum)) {
            to.addNull();
        } else if (sums.shortScale(record, sum) >= 0 && sums.shortScale(record, count) == 0) {
            Quotient.write(
                    sums.shortSum(record, sum),
                    sums.shortScale(record, sum),
                    sums.shortSum(record, count),
                    average,
                    to);
        } else {
            Quotient.write(
                    sums.sum(record, sum).toBigDecimal(),
                    sums.sum(record, count).toBigDecimal(),
                    average,
                    to);
        }
    }

    /** Writes the byte string by which a group is sorted. */
    void sortKey(int record, KeyBuffer to) throws MergeException {
        to.clear();
        for (int i = 0; i < by.size(); i++) {
            SortColumn sorted = by.get(i);
            int start = to.length();
            if (sorted.column() < keys) {
                copyKey(record, sorted.column(), to);
            } else {
                compared(record, sorted.column(), to);
            }
            if (sorted.descending()) {
                to.invert(start);
            }
        }
    }

    private void copyKey(int record, int key, KeyBuffer to) throws MergeException {
        GroupTable table = groups.table();
        byte[] chunk = table.chunk(record);
        int at = GroupRecords.bytesAt(chunk, table.key(record));
        for (int i = 0; i < key; i++) {
            at = end(i, chunk, at);
        }
        to.put(chunk, at, end(key, chunk, at) - at);
    }

    /** The end of a key that begins at {@code start}. A key that is not compared has no bytes. */
    private int end(int key, byte[] bytes, int start) {
        Optional<SortKey> compare = compared.get(key);
        return compare.isPresent() ? KeyEncoder.end(compare.get(), bytes, start) : start;
    }

    private void compared(int record, int column, KeyBuffer to) throws MergeException {
        int state = column < keys + accumulators ? groups.layout().stateOf(column - keys) : -1;
        if (state >= 0 && groups.states(record)[state].compared(to)) {
            return;
        }
        scratch.clear();
        write(record, column, scratch);
        KeyEncoder.writeNumber(scratch, to);
    }
}
