package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CostModelTest {
    @ParameterizedTest
    @CsvSource({"0, 10", "49, 10", "51, 10", "60, 12", "5000, 1000", "600000, 120000"})
    void snapshotsMayTakeAFifthOfTheStatement(long leastMillis, long patienceMillis) {
        assertThat(CostModel.patience(Duration.ofMillis(leastMillis).toNanos()))
                .isBetween(Duration.ofMillis(patienceMillis), Duration.ofMillis(patienceMillis + 1));
    }
}
