package io.fanfold.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ItemSortTest {
    /** Up to 24 items are sorted in another way than more. */
    private static final int[] COUNTS = {0, 1, 2, 24, 25, 26, 49, 700};

    private static final long ITEM_BYTES = 20;

    private final BudgetShare share = new BudgetShare(MemoryBudget.ofProcess(Merging.PLENTY));

    /** Creates one of the strings to be sorted. The caller appends a byte that no string contains. */
    private interface Shape {
        String create(Random random);
    }

    private static String letters(Random random, int most, int alphabet) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(most + 1); i > 0; i--) {
            text.append("\u0000a\u007f\u0080b\u00fe".charAt(random.nextInt(alphabet)));
        }
        return text.toString();
    }

    static Stream<Arguments> strings() {
        List<Shape> shapes = new ArrayList<>(List.of(
                random -> "",
                random -> "the same string of 30 bytes...",
                random -> letters(random, 1, 6),
                random -> letters(random, 3, 2),
                random -> letters(random, 20, 6),
                random -> letters(random, 30, 2),
                // all end like the longer ones go on
                random -> "ab".charAt(random.nextInt(2)) + "a".repeat(7 + random.nextInt(20))));
        for (int common : List.of(7, 8, 9, 16, 17)) {
            shapes.add(random -> "p".repeat(common) + letters(random, 12, 3));
            shapes.add(random -> "p".repeat(common) + letters(random, 1, 3));
        }
        return IntStream.range(0, shapes.size())
                .boxed()
                .flatMap(shape -> Arrays.stream(COUNTS).mapToObj(count -> {
                    Random random = new Random(31L * shape + count);
                    return Arguments.of(
                            Stream.generate(() -> shapes.get(shape).create(random) + "\u00ff")
                                    .limit(count)
                                    .toList(),
                            random);
                }));
    }

    /** Strings that follow each other without a gap in two arrays. */
    private static final class Strings implements SortKeys {
        private final byte[][] arrays;
        private final int[] starts;
        private final int[] ends;
        private final long[] ranks;

        Strings(List<String> strings, long[] ranks) {
            StringBuilder[] texts = {new StringBuilder("before"), new StringBuilder()};
            this.starts = new int[strings.size()];
            this.ends = new int[strings.size()];
            this.ranks = ranks;
            for (int i = 0; i < starts.length; i++) {
                StringBuilder text = texts[i % 2];
                starts[i] = text.length();
                ends[i] = text.append(strings.get(i)).length();
            }
            this.arrays = Arrays.stream(texts)
                    .map(text -> text.toString().getBytes(StandardCharsets.ISO_8859_1))
                    .toArray(byte[][]::new);
        }

        @Override
        public byte[] array(int item) {
            return arrays[item % 2];
        }

        @Override
        public int start(int item) {
            return starts[item];
        }

        @Override
        public int end(int item) {
            return ends[item];
        }

        @Override
        public long rank(int item) {
            return ranks[item];
        }
    }

    /** Different ranks, small and large. */
    private static long[] ranks(int count, Random random) {
        long[] ranks = random.longs(0, Long.MAX_VALUE)
                .map(rank -> rank >>> random.nextInt(50))
                .distinct()
                .limit(count)
                .toArray();
        return ranks;
    }

    private static int[] items(int count) {
        return IntStream.range(0, count).toArray();
    }

    private static int[] sorted(int count, Comparator<Integer> order) {
        return IntStream.range(0, count)
                .boxed()
                .sorted(order)
                .mapToInt(Integer::intValue)
                .toArray();
    }

    @ParameterizedTest
    @MethodSource("strings")
    void itemsAreSortedByTheirStringsAndThenByTheirRanks(List<String> strings, Random random) throws Exception {
        long[] ranks = ranks(strings.size(), random);
        Strings keys = new Strings(strings, ranks);
        int[] expected = sorted(
                ranks.length,
                Comparator.<Integer, String>comparing(strings::get).thenComparing(i -> ranks[i]));
        int[] items = items(ranks.length);
        ItemSort.byKeys(items, keys, share);
        assertThat(items).isEqualTo(expected);
        ItemSort.byKeys(items, keys, share);
        assertThat(items).as("sorted again").isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 24, 25, 700})
    void itemsAreSortedByTheirRanks(int count) throws Exception {
        long[] ranks = ranks(count, new Random(count));
        int[] items = items(count);
        ItemSort.byRanks(
                items, new Strings(Stream.generate(() -> "x").limit(count).toList(), ranks), share);
        assertThat(items).isEqualTo(sorted(count, Comparator.comparing(i -> ranks[i])));
    }

    private interface Sort {
        void sort(int[] items, SortKeys keys, BudgetShare share) throws BudgetExceededException;
    }

    static Stream<Arguments> sorts() {
        Sort byKeys = ItemSort::byKeys;
        Sort byRanks = ItemSort::byRanks;
        return Stream.of(2, 24, 1000)
                .flatMap(count -> Stream.of(byKeys, byRanks).map(sort -> Arguments.of(sort, count)));
    }

    @ParameterizedTest
    @MethodSource("sorts")
    void sortingHoldsTwentyBytesForEachItemUntilItEnds(Sort sort, int count) throws Exception {
        Strings descending = new Strings(
                IntStream.range(0, count)
                        .mapToObj(i -> String.valueOf(9999 - i))
                        .toList(),
                IntStream.range(0, count).mapToLong(i -> 9999 - i).toArray());
        int[] items = items(count);
        BudgetShare enough = new BudgetShare(MemoryBudget.ofProcess(ITEM_BYTES * count));
        BudgetShare tooFew = new BudgetShare(MemoryBudget.ofProcess(ITEM_BYTES * count - 1));
        assertThatThrownBy(() -> sort.sort(items, descending, tooFew)).isInstanceOf(BudgetExceededException.class);
        assertThat(items).isEqualTo(items(count));
        sort.sort(items, descending, enough);
        assertThat(items).isEqualTo(sorted(count, Comparator.reverseOrder()));
        assertThat(enough.usedBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 700})
    void itemsThatAreInTheOrderOfTheirRanksNeedNoHeap(int count) throws Exception {
        long[] ranks = IntStream.range(0, count).mapToLong(i -> i / 2).toArray();
        int[] items = items(count);
        BudgetShare nothing = new BudgetShare(MemoryBudget.ofProcess(0));
        ItemSort.byRanks(
                items, new Strings(Stream.generate(() -> "x").limit(count).toList(), ranks), nothing);
        assertThat(items).isEqualTo(items(count));
    }
}
