package io.fanfold.operator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeapSizeTest {
    @ParameterizedTest
    @CsvSource({"0, 16", "1, 24", "8, 24", "9, 32", "1000, 1016"})
    void arraysHaveAHeaderAndWholeWords(int length, long bytes) {
        assertThat(HeapSize.array(length)).isEqualTo(bytes);
        assertThat(HeapSize.of(new byte[length])).isEqualTo(bytes);
    }

    @Test
    void noArrayTakesNothing() {
        assertThat(HeapSize.of(null)).isZero();
    }
}
