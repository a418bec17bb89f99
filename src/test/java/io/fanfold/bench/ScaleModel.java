package io.fanfold.bench;

/**
 * A model of a fan-out with more cores than the measuring machine has. It is no measurement: it assumes that workers do
 * not slow each other down, and that there are at least as many equal partitions as cores.
 *
 * <pre>time(c) = fixed + work / c + rows · merge</pre>
 *
 * @param directMillis the time of the statement on the server
 * @param fixedMillis the time of a fan-out with next to nothing to read
 * @param workMillis the time of all partition queries by hand, one after another on one connection
 * @param rows the rows that the partition queries return
 * @param mergeMicros the time to merge one of them, which one thread does; 0 or more
 */
record ScaleModel(double directMillis, double fixedMillis, double workMillis, long rows, double mergeMicros) {
    /**
     * Takes from a fan-out with one worker what is neither fixed nor the server's work: that is merging.
     *
     * @param oneWorkerMillis the time through Fanfold with one worker
     */
    static ScaleModel of(
            double directMillis, double fixedMillis, double workMillis, long rows, double oneWorkerMillis) {
        double merging = Math.max(0, oneWorkerMillis - fixedMillis - workMillis);
        return new ScaleModel(directMillis, fixedMillis, workMillis, rows, rows == 0 ? 0 : merging * 1000 / rows);
    }

    /** Returns the time with so many cores of the server, each with a worker. */
    double millis(int cores) {
        return fixedMillis + workMillis / cores + rows * mergeMicros / 1000;
    }

    /** Returns how many times as fast as direct. */
    double timesDirect(int cores) {
        return directMillis / millis(cores);
    }
}
