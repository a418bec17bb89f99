package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.wire.ServerFlavor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AverageQuotientTest {
    @Test
    void bareAverageIsItsQuotient() {
        assertThat(AverageQuotient.isExact(List.of(), ServerFlavor.MYSQL)).isTrue();
        assertThat(AverageQuotient.isExact(List.of(), ServerFlavor.MARIADB)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"CONCAT", "CAST AS CHAR"})
    void textsAreExactOnBoth(String operation) {
        assertThat(AverageQuotient.isExact(List.of(operation), ServerFlavor.MYSQL))
                .isTrue();
        assertThat(AverageQuotient.isExact(List.of(operation), ServerFlavor.MARIADB))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"NEG", "ROUND", "TRUNCATE", "FORMAT", "FLOOR", "CEIL", "CEILING", "ABS", "CAST AS DECIMAL"})
    void operationsWithoutAnotherOperandAreExactOnMariaDbOnly(String operation) {
        assertThat(AverageQuotient.isExact(List.of(operation), ServerFlavor.MYSQL))
                .isFalse();
        assertThat(AverageQuotient.isExact(List.of(operation), ServerFlavor.MARIADB))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "+",
                "-",
                "*",
                "/",
                "DIV",
                "%",
                "COMPARISON",
                "CASE",
                "LOGIC",
                "IFNULL",
                "GREATEST",
                "SQRT",
                "CAST AS SIGNED",
                "CAST AS DOUBLE",
                "SOMETHING NEW"
            })
    void operationsThatSeeHiddenDigitsAreExactOnNeitherServer(String operation) {
        assertThat(AverageQuotient.isExact(List.of(operation), ServerFlavor.MYSQL))
                .isFalse();
        assertThat(AverageQuotient.isExact(List.of(operation), ServerFlavor.MARIADB))
                .isFalse();
    }

    @Test
    void everyOperationAroundCounts() {
        assertThat(AverageQuotient.isExact(List.of("CONCAT", "*"), ServerFlavor.MARIADB))
                .isFalse();
        assertThat(AverageQuotient.isExact(List.of("ROUND", "SQRT"), ServerFlavor.MARIADB))
                .isFalse();
        assertThat(AverageQuotient.isExact(List.of("ROUND", "NEG"), ServerFlavor.MARIADB))
                .isTrue();
        assertThat(AverageQuotient.isExact(List.of("CONCAT", "CAST AS CHAR"), ServerFlavor.MYSQL))
                .isTrue();
    }
}
