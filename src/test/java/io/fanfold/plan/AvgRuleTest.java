package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AvgRuleTest {
    @Test
    void bareAverageIsItsQuotient() {
        assertThat(AvgRule.quotientIsExact(List.of(), false)).isTrue();
        assertThat(AvgRule.quotientIsExact(List.of(), true)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"CONCAT", "CAST AS CHAR"})
    void textsAreExactOnBoth(String operation) {
        assertThat(AvgRule.quotientIsExact(List.of(operation), false)).isTrue();
        assertThat(AvgRule.quotientIsExact(List.of(operation), true)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"NEG", "ROUND", "TRUNCATE", "FORMAT", "FLOOR", "CEIL", "CEILING", "ABS", "CAST AS DECIMAL"})
    void operationsWithoutAnotherOperandAreExactOnMariaDbOnly(String operation) {
        assertThat(AvgRule.quotientIsExact(List.of(operation), false)).isFalse();
        assertThat(AvgRule.quotientIsExact(List.of(operation), true)).isTrue();
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
    void whatSeesInnerDigitsIsExactNowhere(String operation) {
        assertThat(AvgRule.quotientIsExact(List.of(operation), false)).isFalse();
        assertThat(AvgRule.quotientIsExact(List.of(operation), true)).isFalse();
    }

    @Test
    void everyOperationAroundCounts() {
        assertThat(AvgRule.quotientIsExact(List.of("CONCAT", "*"), true)).isFalse();
        assertThat(AvgRule.quotientIsExact(List.of("ROUND", "SQRT"), true)).isFalse();
        assertThat(AvgRule.quotientIsExact(List.of("ROUND", "NEG"), true)).isTrue();
        assertThat(AvgRule.quotientIsExact(List.of("CONCAT", "CAST AS CHAR"), false))
                .isTrue();
    }
}
