package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CatalogWatchTest {
    @Test
    void aReadingThatTakesLongIsRareHoweverOftenItIsWished() {
        Duration wished = Duration.ofSeconds(5);
        assertThat(CatalogWatch.pause(wished, 3_000_000)).isEqualTo(wished);
        assertThat(CatalogWatch.pause(wished, 250_000_000)).isEqualTo(wished);
        assertThat(CatalogWatch.pause(wished, 2_600_000_000L)).isEqualTo(Duration.ofSeconds(52));
        assertThat(CatalogWatch.pause(Duration.ZERO, 3_000_000)).isEqualTo(Duration.ofMillis(60));
    }
}
