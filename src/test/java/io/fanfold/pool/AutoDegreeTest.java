package io.fanfold.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AutoDegreeTest {
    @ParameterizedTest
    @CsvSource({"1,32,4", "2,32,4", "6,32,6", "16,32,16", "32,32,16", "32,100,32", "16,8,8", "2,3,4"})
    void takesTheCoresWithinBounds(int cores, int connections, int degree) {
        assertThat(AutoDegree.degree(cores, connections)).isEqualTo(degree);
    }
}
