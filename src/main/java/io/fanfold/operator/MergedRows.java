package io.fanfold.operator;

import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;
import org.jspecify.annotations.Nullable;

/** The merged rows of a merge. Reading them cannot fail. For one thread. */
public interface MergedRows extends AutoCloseable {

    /**
     * Returns the next merged row, with the columns of the {@link io.fanfold.plan.MergeNode}; null after the last one.
     *
     * @throws IllegalStateException if closed, so that closing does not look like the end of the rows
     */
    @Nullable
    Row next();

    /**
     * Returns the payload of some columns of the next merged row; null after the last one. Used instead of
     * {@link #next()}.
     *
     * @param shown the indexes of the columns in their order
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

    /** The total number of rows, including those already read. */
    long rows();

    /** Drops the remaining rows, and closes the {@link Merge}. Closing again does nothing. */
    @Override
    void close();
}
