package io.fanfold.reuse;

import io.fanfold.binlog.LogPosition;
import java.util.List;

/**
 * The rows of a partition query, and the data that they come from. Immutable.
 *
 * @param rows in the server's order
 * @param position the commits that the query's snapshot showed
 * @param sources everything that the query read
 * @param nanos how long it took to read the rows
 * @param readNanos {@link System#nanoTime} when they were read
 */
public record PartialResult(PackedRows rows, LogPosition position, List<Source> sources, long nanos, long readNanos) {
    public PartialResult {
        sources = List.copyOf(sources);
    }
}
