package io.fanfold.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {
    @ParameterizedTest
    @CsvSource({"0ms,0", "200ms,200", "5s,5000", "10m,600000", "2h,7200000"})
    void readsAndWritesDurations(String text, long millis) {
        assertThat(Quantity.millis(text)).hasValue(millis);
        assertThat(Quantity.text(Duration.ofMillis(millis))).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"1B,1", "64KiB,65536", "256MiB,268435456", "3GiB,3221225472"})
    void readsAndWritesSizes(String text, long bytes) {
        assertThat(Quantity.bytes(text)).hasValue(bytes);
        assertThat(Quantity.text(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "5", "s", "5 s", "-5s", "5S", "1.5s", "5d", "999999999999999999h", "1000000000000000000ms"})
    void refusesOtherDurations(String text) {
        assertThat(Quantity.millis(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0%,0", "0.1%,0.001", "12.5%,0.125", "100%,1"})
    void readsAndWritesShares(String text, double share) {
        assertThat(Quantity.share(text)).hasValue(share);
        assertThat(Quantity.share(share)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "%", "-1%", "100.1%", "1.%", ".5%", "1.2.3%", "1e1%", "NaN%", "1 %"})
    void refusesOtherShares(String text) {
        assertThat(Quantity.share(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "KiB", "64kib", "64KB", "64K", "999999999999999999GiB"})
    void refusesOtherSizes(String text) {
        assertThat(Quantity.bytes(text)).isEmpty();
    }
}
