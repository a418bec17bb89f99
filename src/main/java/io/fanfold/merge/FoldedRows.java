package io.fanfold.merge;

import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;
import org.jspecify.annotations.Nullable;

/** The merged rows of a fold. Nothing can go wrong any more while they are read. For one thread. */
public interface FoldedRows extends AutoCloseable {

    /**
     * The next merged row, with as many columns as the {@link io.fanfold.plan.MergeNode} says; null after the last one.
     *
     * @throws IllegalStateException when closed: an end that is none must not look like one
     */
    @Nullable
    Row next();

    /**
     * The payload of a row of some columns of the next merged row; null after the last one. In place of {@link #next()}.
     *
     * @param shown the numbers of the columns in their order
     */
    default byte @Nullable [] next(int[] shown) {
        Row row = next();
        if (row == null) {
            return null;
        }
        RowBuilder some = new RowBuilder();
        for (int column : shown) {
            some.add(row, column);
        }
        return some.toPayload();
    }

    /** How many rows there are in all, those already read included. */
    long rows();

    /** Drops the rows that are left, and closes the {@link Fold}. Again: does nothing. */
    @Override
    void close();
}
