package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.KeyColumn;
import io.fanfold.catalog.KeyType;
import io.fanfold.execute.KeyRangeSearch.Interval;
import io.fanfold.plan.KeyRange;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class KeyRangeSearchTest {
    private static final KeyColumn KEY = new KeyColumn("PRIMARY", "id", new KeyType(KeyType.Kind.INTEGER, 0));

    /** Numbers with exact estimates. */
    private static final class Numbers implements KeyRangeSearch.Estimates {
        private final long[] sorted;
        private final List<Integer> rounds = new ArrayList<>();

        Numbers(int count, LongUnaryOperator value) {
            sorted = LongStream.range(0, count).map(value).sorted().toArray();
        }

        @Override
        public List<Long> of(List<KeyRange> ranges) {
            rounds.add(ranges.size());
            return ranges.stream().map(this::rows).toList();
        }

        long rows(KeyRange range) {
            long from = range.from().map(BigInteger::longValueExact).orElse(Long.MIN_VALUE);
            BigInteger below = range.below().orElse(BigInteger.ONE.shiftLeft(64));
            return LongStream.of(sorted)
                    .filter(value -> value >= from && BigInteger.valueOf(value).compareTo(below) < 0)
                    .count();
        }

        List<Interval> intervals(int wanted) throws Exception {
            return new KeyRangeSearch(KEY, this)
                    .ofTable(String.valueOf(sorted[0]), String.valueOf(sorted[sorted.length - 1]), wanted);
        }

        List<KeyRange> search(int wanted) throws Exception {
            return complete(KeyRangeSearch.ranges(KEY, intervals(wanted)));
        }

        int questions() {
            return rounds.stream().mapToInt(Integer::intValue).sum();
        }

        long largest(List<KeyRange> ranges) {
            return ranges.stream().mapToLong(this::rows).max().orElseThrow();
        }
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
        List<Interval> known = new Interval(BigInteger.ZERO, BigInteger.valueOf(1000), 0).cut(16);
        for (long huge : List.of(Long.MAX_VALUE, Long.MIN_VALUE, 1L << 62)) {
            KeyRangeSearch search = new KeyRangeSearch(
                    KEY,
                    ranges -> ranges.stream()
                            .map(range -> range.from().orElseThrow().testBit(0) ? huge : 5L)
                            .toList());
            List<Interval> intervals = search.ofStatement(known, 7);
            assertThat(intervals.get(0).from()).isEqualTo(BigInteger.ZERO);
            assertThat(intervals.get(intervals.size() - 1).below()).isEqualTo(BigInteger.valueOf(1000));
            for (int i = 1; i < intervals.size(); i++) {
                assertThat(intervals.get(i).from())
                        .isEqualTo(intervals.get(i - 1).below());
            }
            complete(KeyRangeSearch.ranges(KEY, intervals));
        }
    }

    @Test
    void rangesOfIntervalsWithGapsAreStillAllRows() {
        List<KeyRange> ranges = complete(KeyRangeSearch.ranges(
                KEY,
                List.of(
                        new Interval(BigInteger.ZERO, BigInteger.TEN, 5),
                        new Interval(BigInteger.valueOf(20), BigInteger.valueOf(30), 5),
                        new Interval(BigInteger.valueOf(40), BigInteger.valueOf(50), 5))));
        assertThat(ranges).hasSize(3);
    }

    @Test
    void evenlyDistributedValuesNeedOneRound() throws Exception {
        Numbers index = new Numbers(100_000, i -> i * 7);
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
            Numbers index = new Numbers(
                    24_060, i -> Long.parseLong(DateTimeFormatter.BASIC_ISO_DATE.format(first.plusDays(i / 10))));
            List<KeyRange> ranges = index.search(wanted);
            assertThat(index.largest(ranges)).as("%d wanted", wanted).isLessThan(24_060 * 2 / wanted);
            assertThat(index.questions()).as("%d wanted", wanted).isLessThan(wanted * 7 / 2);
            assertThat(index.rounds).as("%d wanted", wanted).hasSizeLessThanOrEqualTo(3);
        }
    }

    @Test
    void crowdedValuesAreCutUntilNoRangeIsLarge() throws Exception {
        // the second half has 60 values, each with 833 rows
        for (int wanted : List.of(16, 32, 64)) {
            Numbers index = new Numbers(100_000, i -> i < 50_000 ? i : 1L << (i % 60));
            assertThat(index.largest(index.search(wanted)))
                    .as("%d wanted", wanted)
                    .isLessThan(100_000 * 2 / wanted);
            assertThat(index.questions()).as("%d wanted", wanted).isLessThanOrEqualTo(350);
        }
    }

    @Test
    void aValueWithManyRowsIsNotCut() throws Exception {
        Numbers index = new Numbers(1_000, i -> i < 900 ? 5 : i);
        assertThat(index.largest(index.search(128))).isEqualTo(900);
    }

    @Test
    void oneValueIsOneRange() throws Exception {
        assertThat(new Numbers(50, i -> 3).search(16)).hasSize(1);
        assertThat(new Numbers(2, i -> i).search(16)).hasSize(2);
    }

    @Test
    void theWholeRangeOfBigintIsCut() throws Exception {
        Numbers index = new Numbers(1_000, i -> i % 2 == 0 ? Long.MIN_VALUE + i : Long.MAX_VALUE - 1 - i);
        assertThat(index.search(128)).hasSizeGreaterThan(2);
    }

    /** A condition of a statement leaves a hundredth of the table. */
    @Test
    void aStatementsOwnRowsAreCut() throws Exception {
        Numbers table = new Numbers(100_000, i -> i);
        Numbers statement = new Numbers(1_000, i -> 40_000 + i);
        List<Interval> known = table.intervals(128);
        List<KeyRange> ranges =
                complete(KeyRangeSearch.ranges(KEY, new KeyRangeSearch(KEY, statement).ofStatement(known, 16)));
        assertThat(statement.largest(ranges)).isLessThan(1_000 / 8);
        assertThat(statement.questions()).isLessThanOrEqualTo(96);
    }

    @Test
    void aStatementWithoutRowsHasRangesToo() throws Exception {
        List<Interval> known = new Numbers(1_000, i -> i).intervals(128);
        KeyRangeSearch none = new KeyRangeSearch(KEY, ranges -> Collections.nCopies(ranges.size(), 0L));
        complete(KeyRangeSearch.ranges(KEY, none.ofStatement(known, 16)));
    }

    @Test
    void keysAreSharedEqually() {
        List<BigInteger> keys =
                LongStream.of(9, 1, 5, 5, 3, 7).mapToObj(BigInteger::valueOf).toList();
        List<Interval> two = KeyRangeSearch.equalKeys(keys, 2, 100);
        assertThat(two)
                .containsExactly(
                        new Interval(BigInteger.valueOf(1), BigInteger.valueOf(5), 50),
                        new Interval(BigInteger.valueOf(5), BigInteger.valueOf(10), 50));
        assertThat(KeyRangeSearch.equalKeys(keys, 100, 100)).hasSize(5);
        assertThat(KeyRangeSearch.equalKeys(List.of(), 4, 100)).isEmpty();
        complete(KeyRangeSearch.ranges(KEY, two));
    }
}
