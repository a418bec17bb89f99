package io.fanfold.execute;

import io.fanfold.catalog.KeyColumn;
import io.fanfold.client.ServerException;
import io.fanfold.plan.KeyRange;
import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Cuts the values of a key into intervals with about the same number of rows. It asks the server for estimates, in
 * rounds: of some intervals, then of the pieces of those that have too many rows. The server estimates an interval by
 * descending the index twice. Bounds decide only how the work is shared, never on an answer.
 */
final class KeyRangeSearch {
    /** The number of known intervals that a statement's own rows are estimated of first. */
    private static final int FIRST_JOINED = 16;

    /** The most pieces of one interval. */
    private static final int MOST_PIECES = 16;

    private static final int MOST_ROUNDS = 20;

    /** The most estimates of a table. Only tables with crowded values need more than about three for each interval. */
    private static final int MOST_OF_TABLE = 512;

    /** The most estimates for each interval of a statement. One of a join takes longer than one of a table. */
    private static final int MOST_OF_INTERVAL = 6;

    /** Larger estimates make no difference, and sums up to it do not overflow. */
    private static final long MOST_ROWS = 1L << 40;

    private final KeyColumn key;
    private final Estimates estimates;
    private int asked;

    /** A search by some estimates. */
    KeyRangeSearch(KeyColumn key, Estimates estimates) {
        this.key = key;
        this.estimates = estimates;
    }

    /** The questions to the server. */
    interface Estimates {
        /**
         * Returns the estimated rows of ranges that have both bounds.
         *
         * @return one number for each range
         */
        List<Long> of(List<KeyRange> ranges) throws IOException, ServerException;
    }

    /**
     * An interval of positions.
     *
     * @param from its first position
     * @param below the position after its last
     * @param rows an estimate, 0 or more
     */
    record Interval(BigInteger from, BigInteger below, long rows) {
        boolean divisible() {
            return below.subtract(from).compareTo(BigInteger.ONE) > 0;
        }

        /** Returns its equal pieces, fewer if it has fewer positions. */
        List<Interval> cut(int pieces) {
            BigInteger width = below.subtract(from);
            List<Interval> cut = new ArrayList<>();
            BigInteger start = from;
            for (int i = 1; i <= pieces; i++) {
                BigInteger end = from.add(width.multiply(BigInteger.valueOf(i)).divide(BigInteger.valueOf(pieces)));
                if (end.compareTo(start) > 0) {
                    cut.add(new Interval(start, end, 0));
                    start = end;
                }
            }
            return cut;
        }
    }

    /**
     * Returns the intervals of a table or partition.
     *
     * @param least its smallest value
     * @param most its largest value, as the server shows them
     * @param wanted about how many, 1 or more
     * @return adjacent, in order; none if there are not two values on a line
     */
    List<Interval> ofTable(String least, String most, int wanted) throws IOException, ServerException {
        Optional<BigInteger> from = key.type().position(least);
        Optional<BigInteger> to = key.type().position(most);
        if (from.isEmpty() || to.isEmpty() || from.get().compareTo(to.get()) >= 0) {
            return List.of();
        }
        Interval all = new Interval(from.get(), to.get().add(BigInteger.ONE), 0);
        return refined(estimated(all.cut(wanted)), wanted, Math.max(MOST_OF_TABLE, wanted * MOST_OF_INTERVAL));
    }

    /**
     * Returns intervals with about the same number of rows of a statement that reads only a part of the table.
     *
     * @param known the intervals of the table
     * @param wanted their number, 1 or more
     */
    List<Interval> ofStatement(List<Interval> known, int wanted) throws IOException, ServerException {
        long rows = known.stream().mapToLong(Interval::rows).sum();
        return refined(estimated(joined(known, rows / FIRST_JOINED)), wanted, wanted * MOST_OF_INTERVAL);
    }

    private List<Interval> refined(List<Interval> start, int wanted, int estimatesAllowed)
            throws IOException, ServerException {
        List<Interval> intervals = start;
        for (int round = 1; round < MOST_ROUNDS; round++) {
            long target = Math.max(1, rows(intervals) / wanted);
            List<Interval> kept = new ArrayList<>();
            List<Interval> pieces = new ArrayList<>();
            for (Interval interval : intervals) {
                int count = (int) Math.min(MOST_PIECES, 2 * interval.rows() / target);
                boolean large = interval.rows() > target + target / 2 && interval.divisible();
                if (large && asked + pieces.size() + count <= estimatesAllowed) {
                    pieces.addAll(interval.cut(count));
                } else {
                    kept.add(interval);
                }
            }
            if (pieces.isEmpty()) {
                break;
            }
            kept.addAll(estimated(pieces));
            kept.sort(Comparator.comparing(Interval::from));
            intervals = kept;
        }
        return joined(intervals, rows(intervals) / wanted);
    }

    private List<Interval> estimated(List<Interval> intervals) throws IOException, ServerException {
        List<Long> rows = estimates.of(intervals.stream()
                .map(each -> new KeyRange(key, Optional.of(each.from()), Optional.of(each.below()), 0))
                .toList());
        asked += intervals.size();
        List<Interval> estimated = new ArrayList<>();
        for (int i = 0; i < intervals.size(); i++) {
            Interval each = intervals.get(i);
            long known = Math.max(0, Math.min(rows.get(i), MOST_ROWS));
            estimated.add(new Interval(each.from(), each.below(), known));
        }
        return estimated;
    }

    private static long rows(List<Interval> intervals) {
        return intervals.stream().mapToLong(Interval::rows).sum();
    }

    /**
     * Joins neighbouring intervals.
     *
     * @param most the most rows of joined intervals
     */
    private static List<Interval> joined(List<Interval> intervals, long most) {
        List<Interval> joined = new ArrayList<>();
        for (Interval next : intervals) {
            Interval last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
            if (last != null && last.rows() + next.rows() <= most) {
                joined.set(joined.size() - 1, new Interval(last.from(), next.below(), last.rows() + next.rows()));
            } else {
                joined.add(next);
            }
        }
        return joined;
    }

    /**
     * Returns intervals with about the same number of keys.
     *
     * @param keys their positions, in any order
     * @param most the number of intervals
     * @param rows the estimated rows of all intervals together
     * @return none if there is no key
     */
    static List<Interval> equalKeys(List<BigInteger> keys, int most, long rows) {
        List<BigInteger> sorted = keys.stream().sorted().distinct().toList();
        int count = Math.min(most, sorted.size());
        List<Interval> intervals = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int next = (int) ((i + 1L) * sorted.size() / count);
            BigInteger below = next < sorted.size()
                    ? sorted.get(next)
                    : sorted.get(sorted.size() - 1).add(BigInteger.ONE);
            intervals.add(new Interval(sorted.get((int) ((long) i * sorted.size() / count)), below, rows / count));
        }
        return intervals;
    }

    /**
     * Returns the ranges of intervals, with both ends open. Whatever the intervals are, the ranges are all rows of the
     * table, each once: they are made from the starts of the intervals alone.
     *
     * @param intervals in order
     * @return in order; one without bounds if there is no interval
     */
    static List<KeyRange> ranges(KeyColumn key, List<Interval> intervals) {
        if (intervals.isEmpty()) {
            return List.of(new KeyRange(key, Optional.empty(), Optional.empty(), 0));
        }
        List<KeyRange> ranges = new ArrayList<>();
        for (int i = 0; i < intervals.size(); i++) {
            Optional<BigInteger> from =
                    i == 0 ? Optional.empty() : Optional.of(intervals.get(i).from());
            Optional<BigInteger> below = i == intervals.size() - 1
                    ? Optional.empty()
                    : Optional.of(intervals.get(i + 1).from());
            if (from.isPresent() && below.isPresent() && from.get().compareTo(below.get()) >= 0) {
                throw new IllegalStateException("the intervals of " + key + " are not in order: " + intervals);
            }
            ranges.add(new KeyRange(key, from, below, intervals.get(i).rows()));
        }
        return ranges;
    }
}
