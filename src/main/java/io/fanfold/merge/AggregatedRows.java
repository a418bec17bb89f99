package io.fanfold.merge;

import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One row for each group: the key values, then the slots. */
final class AggregatedRows implements FoldedRows {
    private final Fold owner;
    private final int keyColumns;
    private final SlotLayout layout;
    private final RowBuilder builder = new RowBuilder();
    private final long rows;
    private @Nullable List<Group> groups;
    private int next;

    AggregatedRows(Fold owner, List<Group> groups, int keyColumns, SlotLayout layout) {
        this.owner = owner;
        this.groups = groups;
        this.keyColumns = keyColumns;
        this.layout = layout;
        this.rows = groups.size();
    }

    @Override
    public @Nullable Row next() {
        if (groups == null) {
            throw new IllegalStateException("the merged rows are closed");
        }
        if (next >= groups.size()) {
            return null;
        }
        Group group = groups.get(next++);
        builder.clear().addAll(group.keyValues, keyColumns);
        layout.write(group.states, builder);
        return builder.toRow();
    }

    @Override
    public long rows() {
        return rows;
    }

    @Override
    public void close() {
        groups = null;
        owner.close();
    }
}
