package io.fanfold.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.observe.Explanation.ExplainedStep;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoadExplainerTest {
    private static final long MILLI = 1_000_000;
    private static final GainModel MODEL = new GainModel(0);

    private static StatementGroup taking(long millis) {
        return new StatementGroup("shop", "q", "q", false, 10, 10 * millis * MILLI);
    }

    private static Explanation split(ExplainedStep... more) {
        List<ExplainedStep> steps = new ArrayList<>(List.of(
                new ExplainedStep("decision", "split"),
                new ExplainedStep("workers", "4"),
                new ExplainedStep("partitions", "8 of 8 of shop.orders, in 8 queries: p0, p1")));
        steps.addAll(List.of(more));
        return new Explanation(steps);
    }

    @Test
    void aSplitIsExpectedToTakeItsPartOfTheTime() {
        Verdict verdict = LoadExplainer.verdict(MODEL, taking(100), split());
        assertThat(verdict.split()).isTrue();
        assertThat(verdict.expectedNanos()).isEqualTo(10 * (8 + 25) * MILLI);
    }

    @Test
    void aShortStatementGainsNothing() {
        Verdict verdict = LoadExplainer.verdict(MODEL, taking(9), split());
        assertThat(verdict.split()).isFalse();
        assertThat(verdict.label()).isEqualTo("measured");
        assertThat(verdict.expectedNanos()).isEqualTo(10 * 9 * MILLI);
    }

    /** A proxy tries such a split only for a statement that takes 100 ms or more. */
    @Test
    void aPlanInDoubtIsSplitIfTheStatementTakesLong() {
        Explanation doubtful = split(
                new ExplainedStep("next execution", "passed through, to measure the time without a split"),
                new ExplainedStep("doubt", "more rows"));
        assertThat(LoadExplainer.verdict(MODEL, taking(100), doubtful).split()).isTrue();
        Verdict shorter = LoadExplainer.verdict(MODEL, taking(99), doubtful);
        assertThat(shorter.split()).isFalse();
        assertThat(shorter.label()).isEqualTo("worse_plan");
    }

    @Test
    void aReasonIsKept() {
        Explanation passed = new Explanation(List.of(
                new ExplainedStep("decision", "passed through"),
                new ExplainedStep("reason", "few_rows"),
                new ExplainedStep("because", "the server estimates few rows")));
        Verdict verdict = LoadExplainer.verdict(MODEL, taking(100), passed);
        assertThat(verdict.label()).isEqualTo("few_rows");
        assertThat(verdict.sentence()).isEqualTo("the server estimates few rows");
        assertThat(verdict.expectedNanos()).isEqualTo(verdict.group().nanos());
    }
}
