package io.fanfold.execute;

import io.fanfold.catalog.KeyColumn;
import io.fanfold.catalog.KeyType;
import io.fanfold.client.ServerException;
import io.fanfold.plan.KeyBound;
import io.fanfold.plan.KeyRange;
import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

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

        /**
         * Returns the values of the second column, over the rows that have a value in the first one.
         *
         * @param first its position
         * @return an interval of positions of the second column; empty if there are none
         */
        Optional<Values> second(BigInteger first) throws IOException, ServerException;
    }

    /**
     * An interval of positions of one column.
     *
     * @param from the first
     * @param below the position after the last
     */
    record Values(BigInteger from, BigInteger below) {
        /**
         * Returns the values from the smallest to the largest one.
         *
         * @param least the smallest value
         * @param most the largest value, as the server shows them
         * @return empty if they are not in this order on the line of the type
         */
        static Optional<Values> of(KeyType type, String least, String most) {
            Optional<BigInteger> last = type.position(most);
            return type.position(least)
                    .filter(first -> last.isPresent() && first.compareTo(last.get()) <= 0)
                    .map(first -> new Values(first, last.orElseThrow().add(BigInteger.ONE)));
        }

        boolean divisible() {
            return below.subtract(from).compareTo(BigInteger.ONE) > 0;
        }

        /** Returns the first and the last position, and those between that divide them equally; fewer if there are fewer. */
        List<BigInteger> cut(int pieces) {
            BigInteger width = below.subtract(from);
            return IntStream.rangeClosed(0, pieces)
                    .mapToObj(
                            i -> from.add(width.multiply(BigInteger.valueOf(i)).divide(BigInteger.valueOf(pieces))))
                    .distinct()
                    .toList();
        }
    }

    /**
     * The rows between two bounds.
     *
     * @param rows an estimate, 0 or more
     */
    record Interval(KeyBound from, KeyBound below, long rows) {
        /** Returns its values of the first column, if it has all rows of these. */
        private Optional<Values> firsts() {
            return from.second().isEmpty() && below.second().isEmpty()
                    ? Optional.of(new Values(from.first(), below.first()))
                    : Optional.empty();
        }

        /** Returns its values of the second column, if it has only some rows of one value of the first one. */
        private Optional<Values> seconds() {
            return from.second().isPresent()
                            && below.second().isPresent()
                            && from.first().equals(below.first())
                    ? Optional.of(new Values(from.second().get(), below.second().get()))
                    : Optional.empty();
        }

        /** Whether it and the one that follows can be one interval that can be cut again. */
        private boolean continuedBy(Interval next) {
            return firsts().isPresent() && next.firsts().isPresent()
                    || seconds().isPresent()
                            && next.seconds().isPresent()
                            && from.first().equals(next.from.first());
        }

        /** Returns it together with the one that follows. */
        private Interval to(Interval next) {
            return new Interval(from, next.below, rows + next.rows);
        }
    }

    /**
     * Returns the intervals of a table or partition.
     *
     * @param firsts its values of the first column
     * @param wanted about how many, 1 or more
     * @return adjacent, in order; none if it cannot be cut
     */
    List<Interval> ofTable(Values firsts, int wanted) throws IOException, ServerException {
        Interval all = new Interval(KeyBound.before(firsts.from()), KeyBound.before(firsts.below()), 0);
        List<Interval> pieces = cut(all, wanted);
        return pieces.size() < 2
                ? List.of()
                : refined(estimated(pieces), wanted, Math.max(MOST_OF_TABLE, wanted * MOST_OF_INTERVAL));
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
                boolean large = interval.rows() > target + target / 2;
                boolean allowed = asked + pieces.size() + count <= estimatesAllowed;
                List<Interval> cut = large && allowed ? cut(interval, count) : List.of();
                if (cut.size() > 1) {
                    pieces.addAll(cut);
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

    /**
     * Cuts an interval at values of the first column, or of the second one if all rows have the same first value.
     *
     * @return the pieces, in order, without estimates; none if it cannot be cut
     */
    private List<Interval> cut(Interval interval, int pieces) throws IOException, ServerException {
        Optional<Values> firsts = interval.firsts();
        Optional<Values> seconds = interval.seconds();
        List<KeyBound> bounds = new ArrayList<>();
        if (firsts.isPresent() && firsts.get().divisible()) {
            firsts.get().cut(pieces).forEach(first -> bounds.add(KeyBound.before(first)));
        } else if (seconds.isPresent() && seconds.get().divisible()) {
            seconds.get()
                    .cut(pieces)
                    .forEach(second -> bounds.add(interval.from().at(second)));
        } else if (firsts.isPresent()
                && key.second().isPresent()
                && key.type().exact(firsts.get().from())) {
            // the first and the last piece have the rows with NULL, and those that are inserted later
            bounds.add(interval.from());
            estimates
                    .second(firsts.get().from())
                    .ifPresent(values -> values.cut(pieces)
                            .forEach(second -> bounds.add(interval.from().at(second))));
            bounds.add(interval.below());
        }
        List<Interval> cut = new ArrayList<>();
        for (int i = 1; i < bounds.size(); i++) {
            cut.add(new Interval(bounds.get(i - 1), bounds.get(i), 0));
        }
        return cut;
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
     * Joins neighbouring intervals, if they can be cut again.
     *
     * @param most the most rows of joined intervals
     */
    private static List<Interval> joined(List<Interval> intervals, long most) {
        List<Interval> joined = new ArrayList<>();
        for (Interval next : intervals) {
            Interval last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
            if (last != null && last.continuedBy(next) && last.rows() + next.rows() <= most) {
                joined.set(joined.size() - 1, last.to(next));
            } else {
                joined.add(next);
            }
        }
        return joined;
    }

    /**
     * Returns intervals with about the same number of keys, which are values of the first column.
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
            BigInteger from = sorted.get((int) ((long) i * sorted.size() / count));
            intervals.add(new Interval(KeyBound.before(from), KeyBound.before(below), rows / count));
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
            Optional<KeyBound> from =
                    i == 0 ? Optional.empty() : Optional.of(intervals.get(i).from());
            Optional<KeyBound> below = i == intervals.size() - 1
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
