package io.fanfold.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.fanfold.bench.ScaleModel.Step;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScaleModelTest {
    private static final List<Step> ANALYZED = List.of(
            new Step("decision", "split"),
            new Step("partitions", "2 of 2 of ssb.lineorder, in 2 queries: p0, p1"),
            new Step(
                    "time",
                    "5010.00 ms: read 6.00 ms, plan 3.00 ms, partitions 4000.00 ms, combine 1000.00 ms, finish 1.00 ms"),
            new Step("partition query", "p0: 400000 rows, 3011767 bytes, 1900.10 ms, connection 2073"),
            new Step("partition query", "p1: 500000 rows, 3011767 bytes, 2099.10 ms, connection 2073"),
            new Step("partition query", "and 2 more: 100000 rows, 311767 bytes"));

    @Test
    void onlyTheWorkIsSharedAmongCores() {
        ScaleModel model = ScaleModel.of(9000, ANALYZED);
        assertThat(model.fixedMillis()).isEqualTo(10, within(1e-9));
        assertThat(model.rows()).isEqualTo(1_000_000);
        assertThat(model.mergeMicros()).isEqualTo(1, within(1e-9));
        assertThat(model.millis(1)).isEqualTo(5010, within(1e-6));
        assertThat(model.millis(4)).isEqualTo(2010, within(1e-6));
        assertThat(model.timesDirect(4)).isEqualTo(9000 / 2010.0, within(1e-9));
    }

    @Test
    void aStatementThatIsNotSplitHasNoModel() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ScaleModel.of(9000, List.of(new Step("decision", "passed through"))))
                .withMessageStartingWith("not split: ");
    }
}
