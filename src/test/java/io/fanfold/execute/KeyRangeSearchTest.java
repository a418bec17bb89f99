package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.KeyColumn;
import io.fanfold.catalog.KeyType;
import io.fanfold.execute.KeyRangeSearch.Interval;
import io.fanfold.execute.KeyRangeSearch.Values;
import io.fanfold.plan.KeyBound;
import io.fanfold.plan.KeyRange;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.LongUnaryOperator;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeyRangeSearchTest {
    private static final KeyType INTEGER = new KeyType(KeyType.Kind.INTEGER, 0);
    private static final KeyColumn PAIR =
            new KeyColumn("k", "tenant", INTEGER, Optional.of(new KeyColumn.Second("id", INTEGER)));
    private static final KeyColumn KEY =
            new KeyColumn("PRIMARY", "id", new KeyType(KeyType.Kind.INTEGER, 0), Optional.empty());

    /** An index with exact estimates: of one column of numbers, or of two. */
    private static final class Index implements KeyRangeSearch.Estimates {
        private final KeyColumn key;
        private final List<Entry> entries;
        private final List<Integer> rounds = new ArrayList<>();

        /** A row's values; the second may be NULL. */
        private record Entry(BigInteger first, @Nullable BigInteger second) {
            boolean from(KeyBound bound) {
                int order = first.compareTo(bound.first());
                boolean fromSecond = bound.second().isEmpty()
                        || second != null && second.compareTo(bound.second().get()) >= 0;
                return order > 0 || order == 0 && fromSecond;
            }
        }

        Index(int count, LongUnaryOperator value) {
            key = KEY;
            entries = LongStream.range(0, count)
                    .map(value)
                    .mapToObj(first -> new Entry(BigInteger.valueOf(first), null))
                    .toList();
        }

        Index(int count, LongUnaryOperator first, LongFunction<@Nullable Long> second) {
            key = PAIR;
            entries = LongStream.range(0, count)
                    .mapToObj(row -> {
                        Long value = second.apply(row);
                        return new Entry(
                                BigInteger.valueOf(first.applyAsLong(row)),
                                value == null ? null : BigInteger.valueOf(value));
                    })
                    .toList();
        }

        @Override
        public List<Long> of(List<KeyRange> ranges) {
            rounds.add(ranges.size());
            return ranges.stream().map(this::rows).toList();
        }

        @Override
        public Optional<Values> second(BigInteger first) {
            return values(entries.stream()
                    .filter(entry -> entry.first().equals(first))
                    .flatMap(entry -> Stream.ofNullable(entry.second())));
        }

        private static Optional<Values> values(Stream<BigInteger> column) {
            List<BigInteger> sorted = column.sorted().toList();
            return sorted.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Values(
                            sorted.get(0), sorted.get(sorted.size() - 1).add(BigInteger.ONE)));
        }

        long rows(KeyRange range) {
            return entries.stream()
                    .filter(entry -> range.from().map(entry::from).orElse(true)
                            && !range.below().map(entry::from).orElse(false))
                    .count();
        }

        List<Interval> intervals(int wanted) throws Exception {
            Values firsts = values(entries.stream().map(Entry::first)).orElseThrow();
            return new KeyRangeSearch(key, this).ofTable(firsts, wanted);
        }

        List<KeyRange> search(int wanted) throws Exception {
            return complete(KeyRangeSearch.ranges(key, intervals(wanted)));
        }

        int questions() {
            return rounds.stream().mapToInt(Integer::intValue).sum();
        }

        long largest(List<KeyRange> ranges) {
            return ranges.stream().mapToLong(this::rows).max().orElseThrow();
        }

        long all(List<KeyRange> ranges) {
            return ranges.stream().mapToLong(this::rows).sum();
        }
    }

    /** The same estimate for each range, of an index of one column. */
    private static KeyRangeSearch.Estimates estimates(ToLongFunction<KeyRange> rows) {
        return new KeyRangeSearch.Estimates() {
            @Override
            public List<Long> of(List<KeyRange> ranges) {
                return ranges.stream().map(rows::applyAsLong).toList();
            }

            @Override
            public Optional<Values> second(BigInteger first) {
                return Optional.empty();
            }
        };
    }

    private static Interval interval(long from, long below, long rows) {
        return new Interval(
                KeyBound.before(BigInteger.valueOf(from)), KeyBound.before(BigInteger.valueOf(below)), rows);
    }

    private static List<KeyRange> complete(List<KeyRange> ranges) {
        assertThat(ranges.get(0).from()).isEmpty();
        assertThat(ranges.get(ranges.size() - 1).below()).isEmpty();
        for (int i = 1; i < ranges.size(); i++) {
            assertThat(ranges.get(i).from()).isEqualTo(ranges.get(i - 1).below());
        }
        return ranges;
    }

    /** An estimate of a join may be the largest number that there is. */
    @Test
    void estimatesBeyondAllNumbersLoseNoRange() throws Exception {
        List<Interval> known = LongStream.range(0, 16)
                .mapToObj(i -> interval(i * 1000 / 16, (i + 1) * 1000 / 16, 0))
                .toList();
        for (long huge : List.of(Long.MAX_VALUE, Long.MIN_VALUE, 1L << 62)) {
            KeyRangeSearch search = new KeyRangeSearch(
                    KEY, estimates(range -> range.from().orElseThrow().first().testBit(0) ? huge : 5L));
            List<Interval> intervals = search.ofStatement(known, 7);
            assertThat(intervals.get(0).from()).isEqualTo(KeyBound.before(BigInteger.ZERO));
            assertThat(intervals.get(intervals.size() - 1).below())
                    .isEqualTo(KeyBound.before(BigInteger.valueOf(1000)));
            for (int i = 1; i < intervals.size(); i++) {
                assertThat(intervals.get(i).from())
                        .isEqualTo(intervals.get(i - 1).below());
            }
            complete(KeyRangeSearch.ranges(KEY, intervals));
        }
    }

    @Test
    void rangesOfIntervalsWithGapsAreStillAllRows() {
        List<KeyRange> ranges = complete(
                KeyRangeSearch.ranges(KEY, List.of(interval(0, 10, 5), interval(20, 30, 5), interval(40, 50, 5))));
        assertThat(ranges).hasSize(3);
    }

    @Test
    void evenlyDistributedValuesNeedOneRound() throws Exception {
        Index index = new Index(100_000, i -> i * 7);
        List<KeyRange> ranges = index.search(32);
        assertThat(ranges).hasSize(32);
        assertThat(index.largest(ranges)).isLessThan(100_000 / 32 + 2);
        assertThat(index.rounds).containsExactly(32);
    }

    /** Only 2406 of 60,701 numbers are dates, and the gaps between months and years are wider than what is between them. */
    @Test
    void datesAsNumbersNeedThreeQuestionsForAnInterval() throws Exception {
        LocalDate first = LocalDate.of(1992, 1, 1);
        for (int wanted : List.of(16, 32, 64, 128)) {
            Index index = new Index(
                    24_060, i -> Long.parseLong(DateTimeFormatter.BASIC_ISO_DATE.format(first.plusDays(i / 10))));
            List<KeyRange> ranges = index.search(wanted);
            assertThat(index.largest(ranges)).as("%d wanted", wanted).isLessThan(24_060 * 2 / wanted);
            assertThat(index.questions()).as("%d wanted", wanted).isLessThan(wanted * 7 / 2);
            assertThat(index.rounds).as("%d wanted", wanted).hasSizeLessThanOrEqualTo(3);
        }
    }

    @Test
    void crowdedValuesAreCutUntilNoRangeIsLarge() throws Exception {
        // the second half has 60 values, each with 166 rows
        for (int wanted : List.of(16, 32, 64)) {
            Index index = new Index(20_000, i -> i < 10_000 ? i : 1L << (i % 60));
            assertThat(index.largest(index.search(wanted)))
                    .as("%d wanted", wanted)
                    .isLessThan(20_000 * 2 / wanted);
            assertThat(index.questions()).as("%d wanted", wanted).isLessThanOrEqualTo(350);
        }
    }

    @Test
    void aValueWithManyRowsIsNotCut() throws Exception {
        Index index = new Index(1_000, i -> i < 900 ? 5 : i);
        assertThat(index.largest(index.search(128))).isEqualTo(900);
    }

    @Test
    void oneValueIsOneRange() throws Exception {
        assertThat(new Index(50, i -> 3).search(16)).hasSize(1);
        assertThat(new Index(2, i -> i).search(16)).hasSize(2);
    }

    /** Three tenants, of which one has nearly all rows: the ids of each are cut. */
    @Test
    void theRowsOfOneValueAreCutByTheSecondColumn() throws Exception {
        for (int wanted : List.of(8, 16, 64)) {
            Index index = new Index(10_000, i -> i < 9_000 ? 7 : i % 2, i -> i * 3);
            List<KeyRange> ranges = index.search(wanted);
            assertThat(index.largest(ranges)).as("%d wanted", wanted).isLessThan(10_000 * 2 / wanted);
            assertThat(index.all(ranges)).isEqualTo(10_000);
            // each tenant also has a range before its first id and one after its last
            assertThat(ranges).hasSizeLessThan(2 * wanted + 6);
            assertThat(index.questions()).isLessThan(4 * wanted);
        }
    }

    @Test
    void aTableWithOneValueIsCutByTheSecondColumn() throws Exception {
        Index index = new Index(1_000, i -> 7, i -> i);
        List<KeyRange> ranges = index.search(8);
        assertThat(index.largest(ranges)).isLessThan(2_000 / 8);
        assertThat(index.all(ranges)).isEqualTo(1_000);
    }

    /** NULL is before all values of the second column, and rows that come later may be anywhere. */
    @Test
    void rangesOfTheSecondColumnAreAllRows() throws Exception {
        Index index = new Index(1_000, i -> i % 3, i -> i % 5 == 0 ? null : i);
        List<KeyRange> ranges = index.search(8);
        assertThat(index.all(ranges)).isEqualTo(1_000);
        Index later = new Index(5_000, i -> i % 7 - 2, i -> i % 11 == 0 ? null : i * 7 - 9_000);
        assertThat(later.all(ranges)).isEqualTo(5_000);
        assertThat(ranges)
                .anyMatch(range -> range.from().flatMap(KeyBound::second).isPresent());
    }

    /** The conditions of a statement leave a part of one tenant. */
    @Test
    void aStatementsOwnRowsAreCutByTheSecondColumn() throws Exception {
        Index table = new Index(20_000, i -> i % 3, i -> i);
        Index statement = new Index(1_000, i -> 1, i -> 8_000 + i);
        List<KeyRange> ranges = complete(
                KeyRangeSearch.ranges(PAIR, new KeyRangeSearch(PAIR, statement).ofStatement(table.intervals(128), 16)));
        assertThat(statement.largest(ranges)).isLessThan(1_000 / 8);
        assertThat(statement.questions()).isLessThanOrEqualTo(120);
    }

    @Test
    void theWholeRangeOfBigintIsCut() throws Exception {
        Index index = new Index(1_000, i -> i % 2 == 0 ? Long.MIN_VALUE + i : Long.MAX_VALUE - 1 - i);
        assertThat(index.search(128)).hasSizeGreaterThan(2);
    }

    /** A condition of a statement leaves a hundredth of the table. */
    @Test
    void aStatementsOwnRowsAreCut() throws Exception {
        Index table = new Index(100_000, i -> i);
        Index statement = new Index(1_000, i -> 40_000 + i);
        List<Interval> known = table.intervals(128);
        List<KeyRange> ranges =
                complete(KeyRangeSearch.ranges(KEY, new KeyRangeSearch(KEY, statement).ofStatement(known, 16)));
        assertThat(statement.largest(ranges)).isLessThan(1_000 / 8);
        assertThat(statement.questions()).isLessThanOrEqualTo(96);
    }

    @Test
    void aStatementWithoutRowsHasRangesToo() throws Exception {
        List<Interval> known = new Index(1_000, i -> i).intervals(128);
        KeyRangeSearch none = new KeyRangeSearch(KEY, estimates(range -> 0));
        complete(KeyRangeSearch.ranges(KEY, none.ofStatement(known, 16)));
    }

    @Test
    void keysAreSharedEqually() {
        List<BigInteger> keys =
                LongStream.of(9, 1, 5, 5, 3, 7).mapToObj(BigInteger::valueOf).toList();
        List<Interval> two = KeyRangeSearch.equalKeys(keys, 2, 100);
        assertThat(two).containsExactly(interval(1, 5, 50), interval(5, 10, 50));
        assertThat(KeyRangeSearch.equalKeys(keys, 100, 100)).hasSize(5);
        assertThat(KeyRangeSearch.equalKeys(List.of(), 4, 100)).isEmpty();
        complete(KeyRangeSearch.ranges(KEY, two));
    }
}
