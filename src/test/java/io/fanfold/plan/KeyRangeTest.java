package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.catalog.KeyColumn;
import io.fanfold.catalog.KeyType;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeyRangeTest {
    private static final KeyType INTEGER = new KeyType(KeyType.Kind.INTEGER, 0);
    private static final KeyColumn PRIMARY = new KeyColumn("PRIMARY", "i`d", INTEGER, Optional.empty());
    private static final KeyColumn OTHER = new KeyColumn("k", "a", INTEGER, Optional.empty());
    private static final Partition TABLE = new Partition("", "", 1000);

    private static KeyRange range(KeyColumn key, @Nullable Integer from, @Nullable Integer below, long rows) {
        return new KeyRange(
                key,
                Optional.ofNullable(from).map(value -> KeyBound.before(BigInteger.valueOf(value))),
                Optional.ofNullable(below).map(value -> KeyBound.before(BigInteger.valueOf(value))),
                rows);
    }

    /** Ranges between numbers: 0, 1, 2, ... with the rows given. */
    private static List<KeyRange> ranges(long... rows) {
        List<KeyRange> ranges = new ArrayList<>();
        for (int i = 0; i < rows.length; i++) {
            ranges.add(range(OTHER, i == 0 ? null : i, i == rows.length - 1 ? null : i + 1, rows[i]));
        }
        return ranges;
    }

    @Test
    void aConditionHasTheBounds() {
        assertThat(range(PRIMARY, 1, 5, 0).condition("`t`")).isEqualTo("`t`.`i``d` >= 1 AND `t`.`i``d` < 5");
        assertThat(range(PRIMARY, null, 5, 0).condition("`t`")).isEqualTo("`t`.`i``d` < 5");
        assertThat(range(PRIMARY, 5, null, 0).condition("`t`")).isEqualTo("`t`.`i``d` >= 5");
        assertThat(range(PRIMARY, null, null, 0).condition("`t`")).isEmpty();
    }

    @Test
    void nullIsInTheFirstRange() {
        assertThat(range(OTHER, null, 5, 0).condition("t")).isEqualTo("(t.`a` < 5 OR t.`a` IS NULL)");
        assertThat(range(OTHER, 5, null, 0).condition("t")).isEqualTo("t.`a` >= 5");
        assertThat(range(OTHER, null, null, 0).condition("t")).isEmpty();
    }

    @Test
    void aConditionMayHaveBoundsOfTheSecondColumn() {
        KeyColumn pair = new KeyColumn("PRIMARY", "t", INTEGER, Optional.of(new KeyColumn.Second("d", INTEGER)));
        KeyColumn nullable = new KeyColumn("k", "t", INTEGER, pair.second());
        KeyBound three = KeyBound.before(BigInteger.valueOf(3));
        KeyBound inside = three.at(BigInteger.TEN);
        KeyBound later = three.at(BigInteger.valueOf(20));
        KeyBound seven = KeyBound.before(BigInteger.valueOf(7));
        assertThat(condition(pair, inside, later)).isEqualTo("x.`t` = 3 AND x.`d` >= 10 AND x.`d` < 20");
        assertThat(condition(nullable, inside, later)).isEqualTo("x.`t` = 3 AND x.`d` >= 10 AND x.`d` < 20");
        assertThat(condition(pair, three, later)).isEqualTo("x.`t` = 3 AND x.`d` < 20");
        assertThat(condition(nullable, three, later)).isEqualTo("x.`t` = 3 AND (x.`d` < 20 OR x.`d` IS NULL)");
        assertThat(condition(pair, inside, three.next())).isEqualTo("x.`t` = 3 AND x.`d` >= 10");
        assertThat(condition(pair, three, three.next())).isEqualTo("x.`t` >= 3 AND x.`t` < 4");
        assertThat(condition(pair, inside, seven)).isEqualTo("(x.`t` > 3 OR x.`t` = 3 AND x.`d` >= 10) AND x.`t` < 7");
        assertThat(condition(pair, inside, seven.at(BigInteger.ONE)))
                .isEqualTo("(x.`t` > 3 OR x.`t` = 3 AND x.`d` >= 10) AND (x.`t` < 7 OR x.`t` = 7 AND x.`d` < 1)");
        assertThat(condition(nullable, null, later))
                .isEqualTo("(x.`t` < 3 OR x.`t` = 3 AND (x.`d` < 20 OR x.`d` IS NULL) OR x.`t` IS NULL)");
        assertThat(condition(nullable, inside, null)).isEqualTo("(x.`t` > 3 OR x.`t` = 3 AND x.`d` >= 10)");
        assertThat(new KeyRange(pair, Optional.of(inside), Optional.of(seven), 0).label())
                .isEqualTo("t, d 3, 10..7");
    }

    private static String condition(KeyColumn key, @Nullable KeyBound from, @Nullable KeyBound below) {
        return new KeyRange(key, Optional.ofNullable(from), Optional.ofNullable(below), 0).condition("x");
    }

    @Test
    void boundsAreInTheOrderOfTheIndex() {
        KeyBound three = KeyBound.before(BigInteger.valueOf(3));
        List<KeyBound> ordered = List.of(
                KeyBound.before(BigInteger.valueOf(-3)),
                three,
                three.at(BigInteger.valueOf(-9)),
                three.at(BigInteger.ZERO),
                three.at(BigInteger.TEN),
                three.next());
        for (int i = 0; i < ordered.size(); i++) {
            for (int k = 0; k < ordered.size(); k++) {
                assertThat(Integer.signum(ordered.get(i).compareTo(ordered.get(k))))
                        .isEqualTo(Integer.compare(i, k));
            }
        }
    }

    @Test
    void neighboursAreJoinedToAboutEqualParts() {
        List<Part> parts = Part.ranged(3, TABLE, ranges(10, 10, 10, 70, 10, 10, 0), 3);
        assertThat(parts).extracting(Part::number).containsExactly(3, 4, 5);
        assertThat(parts.stream().map(part -> part.range().orElseThrow().label()))
                .containsExactly("a ..4", "a 4..5", "a 5..");
        assertThat(parts).extracting(Part::estimatedRows).containsExactly(100L, 10L, 10L);
        assertThat(parts.get(0).names()).isEmpty();
    }

    @Test
    void emptyRangesAreOnePart() {
        assertThat(Part.ranged(0, TABLE, ranges(0, 0, 0), 5)).hasSizeBetween(1, 3);
        assertThat(Part.ranged(0, TABLE, ranges(7), 5)).hasSize(1);
    }

    /** Whatever the estimates are, the parts are adjacent from the first range to the last. */
    @Test
    void partsAreAllRanges() {
        for (int most = 1; most < 12; most++) {
            List<Part> parts = Part.ranged(0, TABLE, ranges(5, 0, 9, 1, 1, 80, 3, 0, 0), most);
            assertThat(parts).hasSizeLessThanOrEqualTo(most);
            Optional<KeyBound> end = Optional.empty();
            for (Part part : parts) {
                assertThat(part.range().orElseThrow().from()).isEqualTo(end);
                end = part.range().orElseThrow().below();
            }
            assertThat(end).isEmpty();
        }
    }

    @Test
    void balancedRangesAreAdjacent() {
        List<Part> parts = new ArrayList<>(Part.ranged(0, TABLE, ranges(50, 1, 1, 1, 1, 40), 6));
        parts.sort((one, other) -> Long.compare(other.estimatedRows(), one.estimatedRows()));
        assertThat(Part.balanced(parts, 2).stream()
                        .map(part -> part.range().orElseThrow().label()))
                .containsExactly("a ..1", "a 1..");
        assertThat(Part.balanced(parts, parts.size())).hasSameSizeAs(parts);
        assertThat(Part.balanced(parts, 1).get(0).range().orElseThrow().condition("t"))
                .isEmpty();
    }

    @Test
    void togetherAllRangesAreTheTable() {
        Part all = Part.together(Part.ranged(0, TABLE, ranges(1, 2, 3), 3));
        assertThat(all.range().orElseThrow().condition("t")).isEmpty();
        assertThat(all.partitions()).containsExactly(TABLE);
        assertThat(all.estimatedRows()).isEqualTo(6);
    }

    @Test
    void rangesOfSeveralPartitionsTogetherAreThePartitions() {
        Partition other = new Partition("p1", "p1", 10);
        List<Part> parts = new ArrayList<>(Part.ranged(0, new Partition("p0", "p0", 6), ranges(1, 2, 3), 3));
        parts.add(new Part(3, List.of(other)));
        assertThat(Part.together(parts).names()).containsExactly("p0", "p1");
        assertThat(Part.together(parts).range()).isEmpty();
    }

    @Test
    void oneLargePartitionMakesWorkUneven() {
        List<Partition> equal = List.of(new Partition("a", "a", 10), new Partition("b", "b", 10));
        assertThat(Part.uneven(equal, 2)).isFalse();
        assertThat(Part.uneven(equal, 8)).isTrue();
        assertThat(Part.uneven(List.of(new Partition("a", "a", 90), new Partition("b", "b", 10)), 2))
                .isTrue();
        assertThat(Part.uneven(List.of(new Partition("a", "a", 0)), 1)).isFalse();
    }

    @Test
    void aRangeIsOfOnePartition() {
        List<Partition> two = List.of(TABLE, new Partition("p1", "p1", 10));
        assertThatThrownBy(() -> new Part(0, two, Optional.of(ranges(1).get(0))))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
