package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.observe.Explanation.ExplainedStep;
import java.util.List;
import org.junit.jupiter.api.Test;

class StepTableTest {
    private static final List<ExplainedStep> STEPS = List.of(
            new ExplainedStep("decision", "split"),
            new ExplainedStep("partition", "SELECT a, COUNT(*) FROM t PARTITION (p0)\nWHERE b = 1"));

    @Test
    void alignsAndIndents() {
        assertThat(new StepTable(0).render(STEPS)).isEqualTo("""
                decision   split
                partition  SELECT a, COUNT(*) FROM t PARTITION (p0)
                           WHERE b = 1
                """);
    }

    @Test
    void wrapsBeforeWords() {
        assertThat(new StepTable(35).render(STEPS)).isEqualTo("""
                decision   split
                partition  SELECT a, COUNT(*) FROM
                           t PARTITION (p0)
                           WHERE b = 1
                """);
    }

    @Test
    void aWordThatDoesNotFitStaysWhole() {
        String word = "x".repeat(50);
        assertThat(new StepTable(30).render(List.of(new ExplainedStep("a", "one " + word + " two"))))
                .isEqualTo("a  one\n   " + word + "\n   two\n");
    }

    @Test
    void aNarrowTerminalWrapsByItself() {
        assertThat(new StepTable(12).render(STEPS)).isEqualTo(new StepTable(0).render(STEPS));
        assertThat(new StepTable(0).render(List.of())).isEmpty();
    }
}
