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
    @ValueSource(
            strings = {
                "+",
                "-",
                "NEG",
                "ROUND",
                "TRUNCATE",
                "FORMAT",
                "FLOOR",
                "CEIL",
                "CEILING",
                "ABS",
                "IFNULL",
                "COALESCE",
                "CONCAT",
                "CAST AS CHAR",
                "CAST AS DECIMAL",
                "GREATEST",
                "DIV",
                "%",
                "MOD"
            })
    void whatTakesTheRoundedValueIsExactOnBoth(String operation) {
        assertThat(AvgRule.quotientIsExact(List.of(operation), false)).isTrue();
        assertThat(AvgRule.quotientIsExact(List.of(operation), true)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "/", "COMPARISON", "CASE", "LOGIC", "LEAST", "IF"})
    void whatTakesTheInnerValueIsExactOnMariaDbOnly(String operation) {
        assertThat(AvgRule.quotientIsExact(List.of(operation), false)).isFalse();
        assertThat(AvgRule.quotientIsExact(List.of(operation), true)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"SQRT", "POW", "CAST AS SIGNED", "CAST AS DOUBLE", "LOG", "SOMETHING NEW"})
    void floatingAndUnknownContextsAreExactNowhere(String operation) {
        assertThat(AvgRule.quotientIsExact(List.of(operation), false)).isFalse();
        assertThat(AvgRule.quotientIsExact(List.of(operation), true)).isFalse();
    }

    @Test
    void everyOperationAroundCounts() {
        assertThat(AvgRule.quotientIsExact(List.of("ROUND", "*"), false)).isFalse();
        assertThat(AvgRule.quotientIsExact(List.of("*", "ROUND"), false)).isFalse();
        assertThat(AvgRule.quotientIsExact(List.of("ROUND", "SQRT"), true)).isFalse();
        assertThat(AvgRule.quotientIsExact(List.of("ROUND", "+", "NEG"), false)).isTrue();
    }
}
