package io.fanfold.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.observe.Explanation.ExplainedStep;
import io.fanfold.observe.Explanation.ReadPartitions;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExplanationTest {
    private static Explanation with(String... partitions) {
        return new Explanation(List.of(partitions).stream()
                .map(detail -> new ExplainedStep("partitions", detail))
                .toList());
    }

    @Test
    void readsASplit() {
        Explanation split = new Explanation(List.of(
                new ExplainedStep("decision", "split"),
                new ExplainedStep("workers", "2"),
                new ExplainedStep("partitions", "2 of 3 of shop.orders, in 2 queries: p2024, p2025")));
        assertThat(split.split()).isTrue();
        assertThat(split.workers()).isEqualTo(2);
        assertThat(split.partitions()).containsExactly(new ReadPartitions("shop.orders", 2, 3, 2));
        assertThat(split.reason()).isEmpty();
        assertThat(split.sentence()).isEmpty();
        assertThat(split.found()).isEmpty();
    }

    @Test
    void readsAReason() {
        Explanation passed = new Explanation(List.of(
                new ExplainedStep("decision", "passed through"),
                new ExplainedStep("reason", "user_variable"),
                new ExplainedStep("because", "the statement uses a user variable or a system variable"),
                new ExplainedStep("found", "a variable at character 12")));
        assertThat(passed.split()).isFalse();
        assertThat(passed.workers()).isZero();
        assertThat(passed.partitions()).isEmpty();
        assertThat(passed.reason()).isEqualTo("user_variable");
        assertThat(passed.sentence()).startsWith("the statement uses");
        assertThat(passed.found()).isEqualTo("a variable at character 12");
    }

    @Test
    void readsTheTablesOfSeveralBlocksWhateverTheirNames() {
        assertThat(with(
                                "8 of 8 of a.t, in 4 queries: p0, p1, p2, p3, p4, p5, p6, p7",
                                "20 of 400 of s.one of two, in 3 parts, in 8 queries: p0, ...")
                        .partitions())
                .containsExactly(
                        new ReadPartitions("a.t", 8, 8, 4), new ReadPartitions("s.one of two, in 3 parts", 20, 400, 8));
    }

    @Test
    void ignoresADetailOfAnotherForm() {
        assertThat(with("", "all", "3 of 3", "3 of 3 of t").partitions()).isEmpty();
    }
}
