package io.fanfold.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.RefusedException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Statements that must be read, each with its whole model. */
class AcceptancesTest {
    private static final ScheduledExecutorService WATCHDOG = Executors.newSingleThreadScheduledExecutor();
    private static final SelectReader READER = new SelectReader(WATCHDOG, Duration.ofMinutes(1));

    @AfterAll
    static void stop() {
        WATCHDOG.shutdownNow();
    }

    static List<GoldenFile.Case> cases() {
        return GoldenFile.read("acceptances.txt");
    }

    @ParameterizedTest
    @MethodSource("cases")
    void reads(GoldenFile.Case example) throws RefusedException {
        StatementModel statement = READER.read(example.sql(), example.dialect());
        assertThat(ModelText.of(statement.select().orElseThrow())).isEqualTo(example.expected());
    }

    @Test
    void fileIsAsLargeAsItWas() {
        assertThat(cases()).hasSizeGreaterThan(50);
    }
}
