package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.catalog.KeyColumn;
import io.fanfold.catalog.KeyType;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartTest {
    private static List<Partition> partitions(long... rows) {
        return IntStream.range(0, rows.length)
                .mapToObj(i -> new Partition("p" + i, "p" + i, rows[i]))
                .toList();
    }

    private static long[] even(int number, long rows) {
        return IntStream.range(0, number).mapToLong(i -> rows).toArray();
    }

    @Test
    void fewPartitionsAreReadOneByOneTheLargestFirst() {
        List<Part> parts = Part.of(partitions(5, 100, 0, 7), 2);
        assertThat(parts.stream().map(Part::names))
                .containsExactly(List.of("p1"), List.of("p3"), List.of("p0"), List.of("p2"));
        assertThat(parts.stream().map(Part::number)).containsExactly(1, 3, 0, 2);
    }

    @Test
    void eachPartitionCanBeAPart() {
        assertThat(Part.each(partitions(even(100, 9))))
                .hasSize(100)
                .allMatch(part -> part.names().size() == 1);
    }

    @ParameterizedTest
    @CsvSource({"8,1,80,1", "8,1,4000,4", "8,1,8000,8", "8,1,1000000,8", "8,4,80,4", "100,2,50000,34", "100,2,9,2"})
    void fewRowsMakeFewQueries(int partitions, int workers, long rows, int parts) {
        List<Part> divided = Part.of(partitions(even(partitions, 1000)), workers, rows);
        assertThat(divided).hasSize(parts);
        assertThat(divided.stream().mapToInt(part -> part.partitions().size()).sum())
                .isEqualTo(partitions);
    }

    @ParameterizedTest
    @CsvSource({"16,1,16", "32,2,32", "48,1,16", "64,1,16", "160,4,80", "8192,3,49", "8192,8,128"})
    void evenPartitionsAreDealtOutEvenly(int partitions, int workers, int parts) {
        assertThat(Part.of(partitions(even(partitions, 1000)), workers)).hasSize(parts);
    }

    @Test
    void sixteenForEachWorkerAreReadOneByOneAndMoreAreNot() {
        long[] rows = even(16, 0);
        rows[7] = 1000;
        assertThat(Part.of(partitions(rows), 1)).hasSize(16);
        assertThat(Part.of(partitions(even(17, 0)), 1)).hasSize(9);
        assertThat(Part.of(partitions(even(32, 0)), 1)).hasSize(16);
    }

    @ParameterizedTest
    @CsvSource({"16,1", "17,1", "31,1", "33,2", "8192,3", "8192,8"})
    void emptyPartitionsAreNotAllReadTogether(int partitions, int workers) {
        assertThat(Part.of(partitions(even(partitions, 0)), workers)).hasSizeBetween(8 * workers, 32 * workers);
    }

    @Test
    void neighboursAreReadTogetherInTheirOrder() {
        long[] rows = even(1000, 3);
        rows[400] = 1_000_000;
        rows[401] = Long.MAX_VALUE;
        rows[999] = 500;
        List<Partition> all = partitions(rows);
        List<Part> parts = Part.of(all, 2);
        assertThat(parts).hasSizeLessThan(64);
        assertThat(parts.get(0).names()).containsExactly("p401");
        assertThat(parts.get(1).names()).contains("p400");
        List<Partition> again = new ArrayList<>();
        for (Part part :
                parts.stream().sorted(Comparator.comparingInt(Part::number)).toList()) {
            assertThat(part.number()).isEqualTo(again.size());
            again.addAll(part.partitions());
        }
        assertThat(again).isEqualTo(all);
    }

    @Test
    void aShareIsNeverEmpty() {
        assertThatThrownBy(() -> new Part(0, List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    private static List<List<String>> balanced(List<Part> parts, int most) {
        return Part.balanced(parts, most).stream().map(Part::names).toList();
    }

    /** Each worker has one sorted run of several partitions, and about as many rows as each other worker. */
    @Test
    void balancedPartsHaveAboutAsManyRowsEach() {
        List<Part> parts = Part.of(partitions(10, 90, 40, 30, 20, 0), 2);
        assertThat(balanced(parts, 2)).containsExactly(List.of("p0", "p1"), List.of("p2", "p3", "p4", "p5"));
        assertThat(balanced(parts, 3)).containsExactly(List.of("p1"), List.of("p0", "p2", "p5"), List.of("p3", "p4"));
        assertThat(balanced(parts, 6)).allMatch(names -> names.size() == 1);
        assertThat(balanced(parts, 1)).containsExactly(List.of("p0", "p1", "p2", "p3", "p4", "p5"));
    }

    @Test
    void emptyPartsAreSpreadSoThatNoListIsEmpty() {
        List<Part> parts = Part.of(partitions(0, 0, 0, 0), 2);
        assertThat(balanced(parts, 3)).containsExactly(List.of("p0", "p3"), List.of("p1"), List.of("p2"));
    }

    private static final KeyColumn KEY =
            new KeyColumn("PRIMARY", "id", new KeyType(KeyType.Kind.INTEGER, 0), Optional.empty());

    private static Optional<KeyBound> bound(int value, boolean present) {
        return Optional.of(KeyBound.before(BigInteger.valueOf(value))).filter(any -> present);
    }

    /** Parts of one table, each a range between two numbers: 0, 1, 2, ... with the rows given. */
    private static List<Part> ranged(long... rows) {
        return IntStream.range(0, rows.length)
                .mapToObj(i -> new Part(
                        i,
                        List.of(new Partition("", "", 0)),
                        Optional.of(range(i, i > 0, i < rows.length - 1, rows[i]))))
                .toList();
    }

    private static KeyRange range(int number, boolean from, boolean below, long rows) {
        return new KeyRange(KEY, bound(number, from), bound(number + 1, below), rows);
    }

    private static List<String> bounds(List<Part> parts) {
        return parts.stream().map(part -> part.range().orElseThrow().label()).toList();
    }

    /** The parts come in any order. An empty range also takes a query. */
    @Test
    void adjacentRangesAreReadTogether() {
        assertThat(bounds(Part.balanced(Part.largestFirst(ranged(0, 0, 0, 0)), 2)))
                .containsExactly("id ..2", "id 2..");
        assertThat(bounds(Part.balanced(Part.largestFirst(ranged(0, 0, 0, 0, 0, 0)), 3)))
                .containsExactly("id ..2", "id 2..4", "id 4..");
        assertThat(bounds(Part.balanced(Part.largestFirst(ranged(5, 0, 0, 0)), 2)))
                .containsExactly("id ..1", "id 1..");
        assertThat(bounds(Part.balanced(Part.largestFirst(ranged(0, 0, 9)), 3)))
                .containsExactly("id ..1", "id 1..2", "id 2..");
        assertThat(Part.balanced(Part.largestFirst(ranged(1, 2, 30, 4)), 2))
                .extracting(Part::estimatedRows)
                .containsExactly(33L, 4L);
    }

    @Test
    void emptyRangesAtTheEndMakeNoPartMore() {
        List<KeyRange> ranges = List.of(range(0, false, true, 10), range(1, true, true, 10), range(2, true, false, 0));
        assertThat(bounds(Part.ranged(7, new Partition("", "", 20), ranges, 2))).containsExactly("id ..1", "id 1..");
        assertThat(Part.ranged(7, new Partition("", "", 20), ranges, 2))
                .extracting(Part::number)
                .containsExactly(7, 8);
    }

    @ParameterizedTest
    @CsvSource({"2,0,2", "2,2999,2", "2,5000,5", "2,100000,8"})
    void rangesHaveAThousandRowsOrMore(int workers, long rows, int ranges) {
        for (boolean finer : List.of(false, true)) {
            assertThat(Part.ranges(workers, rows, finer))
                    .isEqualTo(ranges)
                    .isLessThanOrEqualTo(Part.mostRanges(workers));
        }
        assertThat(Part.mostRanges(workers)).isEqualTo(4 * workers);
    }

    /** So that the server holds the groups of each in memory: {@code bench}, plain top orders. */
    @Test
    void rangesWithManyGroupsAreSmall() {
        assertThat(Part.ranges(2, 6_000_000, true)).isEqualTo(40);
        assertThat(Part.ranges(2, 6_000_000, false)).isEqualTo(8);
        assertThat(Part.ranges(16, 6_000_000, true)).isEqualTo(64);
        assertThat(Part.ranges(2, 1_000_000_000, true)).isEqualTo(256);
    }

    @Test
    void aLabelNamesPartitionsAndTheNumberOfARange() {
        assertThat(new Part(3, partitions(1, 2)).labels()).containsExactly("p0", "p1");
        assertThat(ranged(1, 2).get(1).labels()).containsExactly("range 1");
        assertThat(new Part(2, partitions(1), Optional.of(range(0, false, true, 1))).labels())
                .containsExactly("p0", "range 2");
    }
}
