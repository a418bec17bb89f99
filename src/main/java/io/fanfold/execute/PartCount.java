package io.fanfold.execute;

/**
 * How many partitions or ranges of keys a statement reads.
 *
 * @param count their number
 * @param reused the number of partition queries whose rows were known
 * @param kept whether rows of partition queries were kept for later statements
 * @param ranges whether some are ranges of the key of a table without partitions
 */
record PartCount(int count, int reused, boolean kept, boolean ranges) {
    /**
     * Counts what a statement reads whose blocks have been judged.
     *
     * @param progress of its partition queries, which have ended
     */
    static PartCount of(FanOutTask task, FanOutProgress progress) {
        return new PartCount(
                task.partitions(),
                progress.reusedQueries(),
                progress.keeps(),
                task.blocks().stream().anyMatch(block -> !block.table().partitioned()));
    }

    @Override
    public String toString() {
        return count + (ranges ? " ranges" : " partitions") + (reused == 0 ? "" : ", " + reused + " queries reused");
    }
}
