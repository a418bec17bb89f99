package io.fanfold.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.GoldenUpdate;
import io.fanfold.reason.RefusedException;
import java.io.IOException;
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

    static List<GoldenFile.Case> cases() throws IOException, RefusedException {
        if (GoldenUpdate.requested()) {
            String updated = updated();
            GoldenUpdate.write("sql/acceptances.txt", updated);
            return GoldenFile.parse(updated);
        }
        return GoldenFile.read("acceptances.txt");
    }

    @ParameterizedTest
    @MethodSource("cases")
    void reads(GoldenFile.Case example) throws RefusedException {
        assertThat(model(example)).isEqualTo(example.expected());
    }

    private static String model(GoldenFile.Case example) throws RefusedException {
        StatementModel statement = READER.read(example.sql(), example.dialect());
        return ModelText.of(statement.select().orElseThrow());
    }

    /** Returns the file with the models of today. */
    private static String updated() throws RefusedException {
        StringBuilder text = new StringBuilder();
        for (String block : GoldenFile.text("acceptances.txt").split("(?m)(?=^=== )")) {
            int end = block.indexOf("\n---\n");
            if (end < 0) {
                text.append(block);
                continue;
            }
            GoldenFile.Case example = GoldenFile.parse(block).get(0);
            text.append(block, 0, end + "\n---\n".length())
                    .append(model(example))
                    .append('\n');
        }
        return text.toString();
    }

    @Test
    void fileIsAsLargeAsItWas() throws IOException, RefusedException {
        assertThat(cases()).hasSizeGreaterThan(50);
    }
}
