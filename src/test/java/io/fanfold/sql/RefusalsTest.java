package io.fanfold.sql;

import static io.fanfold.reason.Refusals.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.GoldenUpdate;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Statements that must be refused, each with its reason and the detail of its rule. They include all that the parser is
 * known to misread. {@link GoldenUpdate} writes the details.
 */
class RefusalsTest {
    private static final ScheduledExecutorService WATCHDOG = Executors.newSingleThreadScheduledExecutor();
    private static final SelectReader READER = new SelectReader(WATCHDOG, Duration.ofMinutes(1));

    /** The beginning of a line with the detail of the statement before it. */
    private static final String DETAIL = "    ";

    record Case(Reason reason, SqlDialect dialect, String sql, String detail) {}

    @AfterAll
    static void stop() {
        WATCHDOG.shutdownNow();
    }

    static List<Case> cases() throws IOException {
        String text = GoldenFile.text("refusals.txt");
        if (GoldenUpdate.requested()) {
            text = updated(text);
            GoldenUpdate.write("sql/refusals.txt", text);
        }
        List<Case> cases = new ArrayList<>();
        String[] lines = text.split("\n");
        for (int i = 0; i < lines.length; i++) {
            if (statement(lines[i])) {
                cases.add(of(lines[i], i + 1 < lines.length && lines[i + 1].startsWith(DETAIL) ? lines[i + 1] : ""));
            }
        }
        return cases;
    }

    private static boolean statement(String line) {
        return !line.isBlank() && !line.startsWith("#") && !line.startsWith(DETAIL);
    }

    private static Case of(String line, String detail) {
        int bar = line.indexOf(" | ");
        String head = line.substring(0, bar);
        return new Case(
                Reason.valueOf(head.split(" ")[0]),
                GoldenFile.dialect(head),
                line.substring(bar + 3).replace('⏎', '\n'),
                detail);
    }

    private static String detail(Refusal refused) {
        return DETAIL + refused.detail().replace('\n', '⏎');
    }

    /** Returns the file with the details of today after each statement. */
    private static String updated(String text) {
        List<String> lines = new ArrayList<>();
        for (String line : text.split("\n")) {
            if (statement(line)) {
                Case example = of(line, "");
                lines.add(line);
                lines.add(detail(refusalOf(() -> READER.read(example.sql(), example.dialect()))));
            } else if (!line.startsWith(DETAIL)) {
                lines.add(line);
            }
        }
        return String.join("\n", lines) + "\n";
    }

    @ParameterizedTest
    @MethodSource("cases")
    void refuses(Case example) {
        Refusal refused = refusalOf(() -> READER.read(example.sql(), example.dialect()));
        assertThat(refused.reason()).as(refused.detail()).isEqualTo(example.reason());
        assertThat(detail(refused)).isNotBlank().isEqualTo(example.detail());
    }

    @Test
    void refusalsAreMoreThanAcceptances() throws IOException {
        assertThat(cases())
                .hasSizeGreaterThan(GoldenFile.read("acceptances.txt").size());
    }
}
