package io.fanfold.merge;

import io.fanfold.plan.MergeNode;
import io.fanfold.plan.MergeNode.GroupKey;
import io.fanfold.plan.SortKey;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Hash aggregation: one group for each different tuple of the keys. */
final class AggregatePartial extends RankedPartial {
    /** Not counted: a partial fold without rows holds nothing in the budget. */
    private static final long EMPTY_TABLE_BYTES = new KeyTable().heapBytes();

    /** A number and two references to it, for each group that is sorted by its keys. */
    private static final long SORTED_BYTES = 24;

    private final List<GroupKey> keys;
    private final SlotLayout layout;
    private final SlotFold[] folds;
    private final KeyEncoder encoder;
    private final long seed;
    private final RowBuilder keyValues = new RowBuilder();
    private KeyTable table = new KeyTable();
    private final List<Group> groups = new ArrayList<>();

    AggregatePartial(Fold owner, MemoryBudget budget, MergeNode.Aggregate node, SlotLayout layout, long seed) {
        super(owner, budget, columnsNeeded(node, layout));
        this.keys = node.keys();
        this.layout = layout;
        this.folds = layout.newFolds(seed);
        this.encoder =
                KeyEncoder.forGroups(node.keys().stream().map(GroupKey::compare).toList());
        this.seed = seed;
    }

    private static int columnsNeeded(MergeNode.Aggregate node, SlotLayout layout) {
        int needed = layout.columnsNeeded();
        for (GroupKey key : node.keys()) {
            SortKey compare = key.compare();
            needed = Math.max(needed, Math.max(key.valueColumn(), compare.column()) + 1);
        }
        return needed;
    }

    @Override
    void add(Row row, long rank) throws FoldException, BudgetExceededException {
        for (int i = 0; i < keys.size(); i++) {
            GroupKey key = keys.get(i);
            KeyPresence.check(row, key.valueColumn(), key.compare().column());
        }
        encoder.encode(row);
        int hash = encoder.hash(seed);
        int number = table.find(encoder, hash);
        Group group;
        long more = 0;
        if (number < 0) {
            group = newGroup(keyValues(row), rank);
            more = insert(encoder.toBytes(), hash, group);
        } else {
            group = groups.get(number);
            if (rank < group.rank) {
                more = -HeapSize.of(group.keyValues);
                group.keyValues = keyValues(row);
                group.rank = rank;
                more += HeapSize.of(group.keyValues);
            }
        }
        for (SlotFold.State state : group.states) {
            more += state.add(row, rank);
        }
        if (more != 0) {
            share.use(more);
            if (more > 0 && share.usedBytes() >= owner.handedOverBytes()) {
                owner.takeOver(this);
            }
        }
    }

    private byte[] keyValues(Row row) {
        keyValues.clear();
        for (GroupKey key : keys) {
            keyValues.add(row, key.valueColumn());
        }
        return keyValues.toPayload();
    }

    private Group newGroup(byte[] values, long rank) {
        SlotFold.State[] states = new SlotFold.State[folds.length];
        for (int i = 0; i < states.length; i++) {
            states[i] = folds[i].start();
        }
        return new Group(states, values, rank);
    }

    /** Adds a group whose key is not there; returns how many bytes more are held. */
    private long insert(byte[] key, int hash, Group group) throws FoldException {
        owner.requireWanted(groups.size() + 1L);
        long before = table.heapBytes();
        table.add(key, hash);
        groups.add(group);
        return table.heapBytes() - before + HeapSize.REFERENCE + group.heapBytes();
    }

    int groupCount() {
        return groups.size();
    }

    /** Takes over the groups of another partial fold, which is as without rows then. */
    void merge(AggregatePartial other) throws FoldException, BudgetExceededException {
        share.absorb(other.share);
        for (int i = 0; i < other.groups.size(); i++) {
            byte[] key = other.table.key(i);
            int hash = other.table.hash(i);
            Group group = other.groups.get(i);
            long before = group.heapBytes();
            long more;
            int number = table.find(key, hash);
            if (number < 0) {
                more = insert(key, hash, group) - before;
            } else {
                Group mine = groups.get(number);
                before += mine.heapBytes();
                mine.merge(group);
                more = mine.heapBytes() - before;
            }
            share.use(more);
        }
        share.use(EMPTY_TABLE_BYTES - other.table.heapBytes() - HeapSize.REFERENCE * other.groups.size());
        other.groups.clear();
        other.table = new KeyTable();
    }

    /**
     * The merged rows, sorted by their keys or by the rank of their groups; one row of neutral values for a scalar
     * without input.
     */
    AggregatedRows rows(boolean scalar, boolean sorted) throws FoldException, BudgetExceededException {
        if (scalar && groups.isEmpty()) {
            groups.add(newGroup(new byte[0], 0));
        }
        for (Group group : groups) {
            for (SlotFold.State state : group.states) {
                state.check();
            }
        }
        return new AggregatedRows(owner, sorted ? byKeys() : byRank(), keys.size(), layout);
    }

    private List<Group> byRank() {
        groups.sort((a, b) -> Long.compare(a.rank, b.rank));
        return groups;
    }

    /** Upwards the strings of the keys are in the order of the keys. */
    private List<Group> byKeys() throws BudgetExceededException {
        share.use(SORTED_BYTES * groups.size());
        return IntStream.range(0, groups.size())
                .boxed()
                .sorted((a, b) -> Arrays.compareUnsigned(table.key(a), table.key(b)))
                .map(groups::get)
                .toList();
    }
}
