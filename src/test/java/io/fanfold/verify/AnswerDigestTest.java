package io.fanfold.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.row.Row;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AnswerDigestTest {
    private static AnswerChoices choices(boolean ordered, ColumnRule... rules) {
        return new AnswerChoices(List.of(rules), ordered, false, false, Optional.empty());
    }

    /** Returns a row of texts; {@code NULL} is NULL. */
    static Row row(String... values) {
        List<byte[]> bytes = new ArrayList<>();
        for (String value : values) {
            bytes.add(value.equals("NULL") ? null : value.getBytes(StandardCharsets.UTF_8));
        }
        return Row.ofValues(bytes);
    }

    private static AnswerDigest digest(AnswerChoices choices, Row... rows) {
        AnswerDigest digest = new AnswerDigest(choices);
        for (Row row : rows) {
            digest.add(row.payload());
        }
        return digest;
    }

    @Test
    void theOrderCountsOnlyIfTheStatementOrders() {
        for (boolean ordered : new boolean[] {true, false}) {
            AnswerChoices choices = choices(ordered, ColumnRule.EXACT, ColumnRule.EXACT);
            AnswerDigest one = digest(choices, row("1", "a"), row("2", "b"), row("3", "c"));
            AnswerDigest other = digest(choices, row("1", "a"), row("3", "c"), row("2", "b"));
            assertThat(one.same(other)).isEqualTo(!ordered);
            assertThat(one.sameRows(other, false)).isTrue();
            assertThat(one.same(digest(choices, row("1", "a"), row("2", "b"), row("3", "c"))))
                    .isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"1,1,2,1,2,2", "1,2,3,1,2,2", "1,1,1,1,1,2"})
    void theNumberOfEqualRowsCounts(String a, String b, String c, String d, String e, String f) {
        AnswerChoices choices = choices(false, ColumnRule.EXACT);
        assertThat(digest(choices, row(a), row(b), row(c)).same(digest(choices, row(d), row(e), row(f))))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({"NULL,''", "12,1", "ab,ba", "00000000,000000000", "a,A", "'',0", "-0,0", "0000,0"})
    void differentValuesDiffer(String one, String other) {
        AnswerChoices choices = choices(false, ColumnRule.EXACT, ColumnRule.EXACT);
        assertThat(digest(choices, row(one, "x")).same(digest(choices, row(other, "x"))))
                .isFalse();
        // a value must not be able to lend a byte to its neighbour
        assertThat(digest(choices, row(one, other)).same(digest(choices, row(other, one))))
                .isFalse();
    }

    @Test
    void manyShortValuesHaveDifferentHashes() {
        List<ColumnRule> rules = List.of(ColumnRule.EXACT, ColumnRule.EXACT);
        assertThat(IntStream.range(0, 200_000)
                        .mapToObj(i -> RowHash.of(row(String.valueOf(i % 500), String.valueOf(i / 500)), rules))
                        .map(hash -> hash.low() & 0xffffffffffffL)
                        .distinct())
                .hasSize(200_000);
    }

    @Test
    void someZerosAreEqual() {
        AnswerChoices choices = choices(false, ColumnRule.ZERO);
        assertThat(digest(choices, row("-0")).same(digest(choices, row("0")))).isTrue();
        assertThat(digest(choices, row("0000")).same(digest(choices, row("0")))).isTrue();
        assertThat(digest(choices, row("00")).same(digest(choices, row("0")))).isFalse();
        assertThat(digest(choices, row("-1")).same(digest(choices, row("1")))).isFalse();
    }

    @Test
    void chosenAndOmittedColumnsAreNotCertain() {
        AnswerChoices choices = choices(true, ColumnRule.EXACT, ColumnRule.CHOSEN, ColumnRule.LEFT_OUT);
        AnswerDigest one = digest(choices, row("1", "a", "0.1"));
        assertThat(one.same(digest(choices, row("1", "a", "0.2")))).isTrue();
        AnswerDigest other = digest(choices, row("1", "A", "0.1"));
        assertThat(one.same(other)).isFalse();
        assertThat(one.sameCertain(other)).isTrue();
        assertThat(one.sameCertain(digest(choices, row("2", "a", "0.1")))).isFalse();
    }

    @Test
    void hashesOfSortedRowsAreKept() {
        AnswerDigest sorted = digest(choices(true, ColumnRule.EXACT), row("1"), row("2"));
        assertThat(sorted.inOrder(false))
                .hasValueSatisfying(kept -> assertThat(kept)
                        .containsExactly(
                                RowHash.of(row("1"), List.of(ColumnRule.EXACT)),
                                RowHash.of(row("2"), List.of(ColumnRule.EXACT))));
        assertThat(digest(choices(false, ColumnRule.EXACT), row("1")).inOrder(false))
                .isEmpty();
        AnswerDigest large = new AnswerDigest(choices(true, ColumnRule.EXACT));
        Row row = row("1");
        for (int i = 0; i <= AnswerDigest.MOST_KEPT; i++) {
            large.add(row);
        }
        assertThat(large.inOrder(false)).isEmpty();
        assertThat(large.rows()).isEqualTo(AnswerDigest.MOST_KEPT + 1);
    }
}
