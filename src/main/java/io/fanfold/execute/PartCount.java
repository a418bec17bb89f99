package io.fanfold.execute;

/**
 * How many partitions or ranges of keys a statement reads.
 *
 * @param count their number
 * @param ranges whether some are ranges of the key of a table without partitions
 */
record PartCount(int count, boolean ranges) {
    /** Counts what a statement reads whose blocks have been judged. */
    static PartCount of(FanOutTask task) {
        return new PartCount(
                task.partitions(),
                task.blocks().stream().anyMatch(block -> !block.table().partitioned()));
    }

    @Override
    public String toString() {
        return count + (ranges ? " ranges" : " partitions");
    }
}
