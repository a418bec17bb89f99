package io.fanfold.reuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.binlog.LogPosition;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.row.Row;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is kept, what is dropped, and that the budget holds. */
class PartialResultsTest {
    private static final long SLOW = 1_000_000_000;

    private final MemoryBudget budget = MemoryBudget.ofProcess(10_000);
    private final PartialResults results = new PartialResults(budget);

    private static ResultKey key(String text) {
        return ResultKey.of(List.of(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static Row row(String value) {
        List<byte[]> values = new ArrayList<>();
        values.add(value.getBytes(StandardCharsets.UTF_8));
        values.add(null);
        return Row.ofValues(values);
    }

    private void keep(String key, int bytes, long nanos) {
        try (PartialResults.Recorder recorder = results.record(key(key), 2, System.nanoTime() - nanos)) {
            recorder.add(row("x".repeat(bytes)));
            recorder.keep(
                    nanos,
                    rows -> new PartialResult(rows, new LogPosition.InFile("log.000001", 4), List.of(), nanos, 0));
        }
    }

    private List<String> rows(String key) {
        List<String> rows = new ArrayList<>();
        results.find(key(key)).orElseThrow().rows().forEach(row -> rows.add(row.toString()));
        return rows;
    }

    private boolean has(String key) {
        return results.find(key(key)).isPresent();
    }

    @Test
    void rowsComeBackInTheirOrder() {
        try (PartialResults.Recorder recorder = results.record(key("a"), 2, System.nanoTime())) {
            for (int i = 0; i < 100; i++) {
                recorder.add(row("v" + i));
            }
            recorder.keep(
                    SLOW, rows -> new PartialResult(rows, new LogPosition.InFile("log.000001", 4), List.of(), SLOW, 0));
        }
        assertThat(rows("a")).hasSize(100).startsWith("v0|NULL", "v1|NULL").endsWith("v99|NULL");
        assertThat(results.heapBytes()).isEqualTo(budget.heldBytes()).isBetween(600L, 1000L);
    }

    @Test
    void aResultWithoutRowsIsKept() {
        try (PartialResults.Recorder recorder = results.record(key("a"), 2, System.nanoTime())) {
            recorder.keep(
                    SLOW, rows -> new PartialResult(rows, new LogPosition.InFile("log.000001", 4), List.of(), SLOW, 0));
        }
        assertThat(rows("a")).isEmpty();
    }

    @Test
    void rowsThatDoNotFitAreNotKept() {
        keep("a", 20_000, SLOW);
        assertThat(has("a")).isFalse();
        assertThat(budget.heldBytes()).isZero();
    }

    @Test
    void theLeastTimeForEachByteGoesFirst() {
        keep("cheap", 3_000, SLOW / 100);
        keep("dear", 3_000, SLOW);
        keep("new", 3_000, SLOW);
        keep("newer", 3_000, SLOW);
        assertThat(has("cheap")).isFalse();
        assertThat(has("dear")).isTrue();
        assertThat(has("newer")).isTrue();
        assertThat(budget.heldBytes()).isLessThanOrEqualTo(10_000);
    }

    /** A record that nobody asks for must not stay for ever because it took long once. */
    @Test
    void whatIsNotUsedAges() {
        keep("old", 3_000, SLOW);
        for (int i = 0; i < 40; i++) {
            keep("n" + i, 3_000, SLOW / 2);
        }
        assertThat(has("old")).isFalse();
    }

    @Test
    void aRecordThatIsClosedHoldsNothing() {
        try (PartialResults.Recorder recorder = results.record(key("a"), 2, System.nanoTime())) {
            recorder.add(row("x".repeat(500)));
            assertThat(budget.heldBytes()).isPositive();
        }
        assertThat(budget.heldBytes()).isZero();
    }

    @Test
    void newRowsReplaceThoseOfTheSameQuery() {
        keep("a", 100, SLOW);
        keep("a", 50, SLOW);
        assertThat(rows("a")).containsExactly("x".repeat(50) + "|NULL");
        assertThat(results.size()).isEqualTo(1);
        assertThat(budget.heldBytes()).isLessThan(150);
    }

    @Test
    void onlyTheseRowsAreDropped() {
        keep("a", 100, SLOW);
        PartialResult before = results.find(key("a")).orElseThrow();
        keep("a", 50, SLOW);
        results.drop(key("a"), before);
        assertThat(has("a")).isTrue();
        results.drop(key("a"), results.find(key("a")).orElseThrow());
        assertThat(has("a")).isFalse();
        assertThat(budget.heldBytes()).isZero();
    }

    @Test
    void aSmallerLimitDropsRows() {
        keep("cheap", 3_000, SLOW / 100);
        keep("dear", 3_000, SLOW);
        results.limit(4_000);
        assertThat(has("cheap")).isFalse();
        assertThat(has("dear")).isTrue();
        assertThat(results.clear()).isEqualTo(1);
        assertThat(budget.heldBytes()).isZero();
    }

    @Test
    void theEndOfOneTextIsNotTheStartOfTheNext() {
        List<byte[]> one = List.of("ab".getBytes(StandardCharsets.UTF_8), "c".getBytes(StandardCharsets.UTF_8));
        List<byte[]> other = List.of("a".getBytes(StandardCharsets.UTF_8), "bc".getBytes(StandardCharsets.UTF_8));
        assertThat(ResultKey.of(one)).isNotEqualTo(ResultKey.of(other)).isEqualTo(ResultKey.of(List.copyOf(one)));
    }
}
