package io.fanfold.operator;

import io.fanfold.plan.MergeNode;
import io.fanfold.plan.SortKey;
import io.fanfold.plan.SortKey.KeyComparison;
import io.fanfold.row.Row;
import io.fanfold.row.RowBuilder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Merges rows, written as lines "a|1|NULL" with one byte per character, by a number of partial merges. */
final class Merging {
    static final long PLENTY = 1L << 40;

    private Merging() {}

    /** Runs a call in a thread of its own, for at most 20 seconds. */
    static <T> T elsewhere(Callable<T> call) throws Exception {
        ExecutorService own = Executors.newSingleThreadExecutor();
        try {
            return own.submit(call).get(20, TimeUnit.SECONDS);
        } finally {
            own.shutdownNow();
        }
    }

    static Row row(String line) {
        RowBuilder row = new RowBuilder();
        for (String value : line.split("\\|", -1)) {
            if (value.equals("NULL")) {
                row.addNull();
            } else {
                row.add(value.getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        return row.toRow();
    }

    static String line(Row row) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < row.columns(); i++) {
            String value = row.ascii(i);
            text.append(i == 0 ? "" : "|").append(value == null ? "NULL" : value);
        }
        return text.toString();
    }

    static List<String> lines(MergedRows rows) {
        List<String> lines = new ArrayList<>();
        for (Row row = rows.next(); row != null; row = rows.next()) {
            lines.add(line(row));
        }
        return lines;
    }

    static SortKey key(int column, KeyComparison comparison) {
        return new SortKey(column, comparison, new byte[0], false);
    }

    static SortKey descending(int column, KeyComparison comparison) {
        return new SortKey(column, comparison, new byte[0], true);
    }

    static SortKey padded(int column, String pad) {
        return new SortKey(column, KeyComparison.WEIGHT_PAD, pad.getBytes(StandardCharsets.ISO_8859_1), false);
    }

    /** Merges all partitions with one partial merge. */
    @SafeVarargs
    static List<String> merge(MergeNode node, List<String>... partitions) throws Exception {
        List<List<String>> all = new ArrayList<>();
        for (List<String> partition : partitions) {
            all.add(partition);
        }
        return merge(node, all, 1, null);
    }

    /**
     * Merges partitions, and checks that the budget is empty afterwards.
     *
     * @param workers the number of partial merges that take partitions in turn
     * @param shuffle decides which one takes which partition, and when; null for one after the other
     */
    static List<String> merge(MergeNode node, List<List<String>> partitions, int workers, @Nullable Random shuffle)
            throws MergeException, BudgetExceededException {
        MemoryBudget process = MemoryBudget.ofProcess(PLENTY);
        // groups are moved to the shared state never, or all the time
        long shared = shuffle != null && shuffle.nextBoolean() ? 1 + shuffle.nextInt(5000) : PLENTY;
        try (MemoryBudget query = process.child("query", PLENTY);
                Merge merge = Merge.of(node, query, Long.MAX_VALUE, shared)) {
            List<PartialMerge> partials = new ArrayList<>();
            for (int i = 0; i < workers; i++) {
                partials.add(merge.newPartial());
            }
            List<Integer> order = new ArrayList<>();
            for (int i = 0; i < partitions.size(); i++) {
                order.add(i);
            }
            if (shuffle != null) {
                Collections.shuffle(order, shuffle);
            }
            for (int i = 0; i < order.size(); i++) {
                int worker = shuffle == null ? i % workers : shuffle.nextInt(workers);
                PartialMerge partial = partials.get(worker);
                partial.partitionStarts(order.get(i));
                for (String line : partitions.get(order.get(i))) {
                    partial.add(row(line));
                }
                partial.partitionEnds();
            }
            if (shared % 2 == 0) {
                partials.forEach(PartialMerge::ends);
            }
            MergedRows rows = merge.combine(partials);
            List<String> lines = lines(rows);
            if (rows.rows() != lines.size()) {
                throw new AssertionError("announced " + rows.rows() + " rows, gave " + lines.size());
            }
            rows.close();
            if (query.heldBytes() != 0 || process.heldBytes() != 0) {
                throw new AssertionError("still held: " + query.heldBytes() + ", " + process.heldBytes());
            }
            return lines;
        }
    }
}
