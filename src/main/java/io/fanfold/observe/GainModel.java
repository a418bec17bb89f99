package io.fanfold.observe;

import io.fanfold.execute.SplitCost;
import io.fanfold.observe.Explanation.ReadPartitions;
import java.util.List;

/**
 * A model of how long a split statement takes. It is no measurement: it takes all partition queries as equally long, the
 * statement's time as the time of reading, and the server as idle.
 *
 * <p>expected = 4 ms + 1 ms × workers + direct × ⌈queries / parallel⌉ / queries, where parallel is the number of
 * workers, but at most that of the server's cores.
 *
 * @param cores the cores that the server has for one statement; 0 if that is not known
 */
public record GainModel(int cores) {
    /** Returns how many of these workers read at the same time, 1 or more. */
    int parallel(int workers) {
        return Math.max(1, cores > 0 ? Math.min(cores, workers) : workers);
    }

    /**
     * Returns the expected time of one execution in nanoseconds; not longer than the direct one, because the proxy
     * measures both ways and keeps the faster one.
     *
     * @param directNanos the time of one execution without a split
     * @param workers the number of worker connections, 1 or more
     * @param partitions what is read; one block after the other
     */
    long expectedNanos(long directNanos, int workers, List<ReadPartitions> partitions) {
        int parallel = parallel(workers);
        long queries = 0;
        long rounds = 0;
        for (ReadPartitions block : partitions) {
            queries += block.queries();
            rounds += (block.queries() + parallel - 1) / parallel;
        }
        if (queries == 0) {
            return directNanos;
        }
        double reading = (double) directNanos * rounds / queries;
        return Math.min(directNanos, SplitCost.fixedNanos(workers) + (long) reading);
    }
}
