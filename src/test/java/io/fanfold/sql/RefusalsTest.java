package io.fanfold.sql;

import static io.fanfold.reason.Refusals.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Statements that must be refused, each with its reason. They include all that the parser is known to misread. */
class RefusalsTest {
    private static final ScheduledExecutorService WATCHDOG = Executors.newSingleThreadScheduledExecutor();
    private static final SelectReader READER = new SelectReader(WATCHDOG, Duration.ofMinutes(1));

    record Case(Reason reason, SqlDialect dialect, String sql) {}

    @AfterAll
    static void stop() {
        WATCHDOG.shutdownNow();
    }

    static List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (String line : GoldenFile.text("refusals.txt").split("\n")) {
            if (!line.isBlank() && !line.startsWith("#")) {
                int bar = line.indexOf(" | ");
                String head = line.substring(0, bar);
                cases.add(new Case(
                        Reason.valueOf(head.split(" ")[0]),
                        GoldenFile.dialect(head),
                        line.substring(bar + 3).replace('⏎', '\n')));
            }
        }
        return cases;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void refuses(Case example) {
        Refusal refused = refusalOf(() -> READER.read(example.sql(), example.dialect()));
        assertThat(refused.reason()).as(refused.detail()).isEqualTo(example.reason());
        assertThat(refused.detail()).isNotBlank();
    }

    @Test
    void refusalsAreMoreThanAcceptances() {
        assertThat(cases())
                .hasSizeGreaterThan(GoldenFile.read("acceptances.txt").size());
    }
}
