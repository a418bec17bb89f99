package io.fanfold.operator;

import io.fanfold.plan.MergeNode;
import io.fanfold.plan.MergeNode.GroupKey;
import io.fanfold.plan.SortKey;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;
import java.util.List;

/** Hash aggregation: one group for each distinct tuple of keys. */
final class AggregatePartial extends RankedPartial {
    private final SharedGroups shared;
    private final MergeNode.Aggregate node;
    private final List<GroupKey> keys;
    private final List<SortKey> compared;

    /** The value column of each of {@link #compared}. */
    private final int[] valuesCompared;

    private final KeyEncoder encoder;
    private final RowBuilder keyValues = new RowBuilder();
    private final Groups groups;

    /** Whether the current partition has been read to its end. */
    private boolean complete;

    AggregatePartial(
            SharedGroups shared,
            MemoryBudget budget,
            long mostRows,
            MergeNode.Aggregate node,
            AccumulatorLayout layout,
            long seed) {
        super(budget, mostRows, columnsNeeded(node, layout));
        this.shared = shared;
        this.node = node;
        this.keys = node.keys();
        this.compared = keys.stream().flatMap(key -> key.compare().stream()).toList();
        this.valuesCompared = keys.stream()
                .filter(key -> key.compare().isPresent())
                .mapToInt(GroupKey::valueColumn)
                .toArray();
        this.encoder = KeyEncoder.forGroups(compared);
        this.groups = new Groups(share, layout, seed);
    }

    private static int columnsNeeded(MergeNode.Aggregate node, AccumulatorLayout layout) {
        int needed = layout.columnsNeeded();
        for (GroupKey key : node.keys()) {
            int compared = key.compare().map(SortKey::column).orElse(key.valueColumn());
            needed = Math.max(needed, Math.max(key.valueColumn(), compared) + 1);
        }
        return needed;
    }

    @Override
    void runStarts() {
        complete = false;
    }

    @Override
    public void partitionEnds() {
        complete = true;
    }

    /** Merges a large table of groups on this thread, while others still read. */
    @Override
    public void ends() {
        if (complete && groups.filledBytes() >= shared.joinedBytes()) {
            shared.join(this);
        }
    }

    @Override
    void add(Row row, long rank) throws MergeException, BudgetExceededException {
        for (int i = 0; i < compared.size(); i++) {
            KeyPresence.check(row, valuesCompared[i], compared.get(i).column());
        }
        encoder.encode(row);
        GroupTable table = groups.table();
        int hash = table.hash(encoder.bytes(), 0, encoder.length());
        int record = table.find(encoder.bytes(), 0, encoder.length(), hash);
        long before = groups.filledBytes();
        if (record < 0) {
            requireWanted(table.size() + 1L);
            record = groups.add(encoder, hash, keyValues(row), rank);
        } else if (rank < table.rank(record)) {
            table.rank(record, rank);
            RowBuilder values = keyValues(row);
            record = table.replaceValues(record, values.bytes(), 0, values.length());
        }
        groups.merge(record, row, rank);
        if (groups.filledBytes() > before && groups.filledBytes() >= shared.sharedBytes()) {
            shared.merge(this);
        }
    }

    private RowBuilder keyValues(Row row) {
        keyValues.clear();
        for (int i = 0; i < keys.size(); i++) {
            keyValues.add(row, keys.get(i).valueColumn());
        }
        return keyValues;
    }

    int groupCount() {
        return groups.table().size();
    }

    /**
     * Merges the groups of another partial merge, which is then empty.
     *
     * @param keepsHeap whether the other keeps its heap for more rows
     */
    void merge(AggregatePartial other, boolean keepsHeap) throws MergeException, BudgetExceededException {
        groups.merge(other.groups, keepsHeap);
        if (!keepsHeap) {
            share.absorb(other.share);
            share.use(0);
        }
        requireWanted(groupCount());
    }

    /** The merged rows in their order. A scalar aggregate without input has one row of neutral values. */
    MergedRows rows() throws MergeException, BudgetExceededException {
        if (node.scalar() && groupCount() == 0) {
            groups.add(encoder, 0, keyValues.clear(), 0);
        }
        groups.check();
        return OrderedGroups.of(budget::close, node, groups, share);
    }
}
