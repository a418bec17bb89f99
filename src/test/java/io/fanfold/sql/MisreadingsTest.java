package io.fanfold.sql;

import static io.fanfold.reason.Refusals.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.RefusedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each construct that the parser alone would misread is either refused or read as the server reads it. */
class MisreadingsTest {
    private static final String FAITHFUL = "FAITHFUL";
    private static final ScheduledExecutorService WATCHDOG = Executors.newSingleThreadScheduledExecutor();
    private static final SelectReader READER = new SelectReader(WATCHDOG, Duration.ofMinutes(1));

    /**
     * A line of the file.
     *
     * @param expected a reason, or {@link #FAITHFUL}
     * @param line the line that the model must then contain; empty for a reason
     */
    record Case(String expected, SqlDialect dialect, String sql, String line) {}

    @AfterAll
    static void stop() {
        WATCHDOG.shutdownNow();
    }

    static List<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (String line : GoldenFile.text("misreadings.txt").split("\n")) {
            if (!line.isBlank() && !line.startsWith("#")) {
                String[] parts = line.split(" \\| ", 2);
                String expected = parts[0].split(" ")[0];
                int end = expected.equals(FAITHFUL) ? parts[1].lastIndexOf(" | ") : parts[1].length();
                cases.add(new Case(
                        expected,
                        GoldenFile.dialect(parts[0]),
                        parts[1].substring(0, end).replace('⏎', '\n'),
                        expected.equals(FAITHFUL) ? parts[1].substring(end + 3) : ""));
            }
        }
        return cases;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isRefusedOrReadAsTheServerDoes(Case example) throws RefusedException {
        if (example.expected().equals(FAITHFUL)) {
            assertThat(ModelText.of(READER.read(example.sql(), example.dialect())
                                    .select()
                                    .orElseThrow())
                            .lines()
                            .map(String::strip))
                    .contains(example.line());
        } else {
            Refusal refused = refusalOf(() -> READER.read(example.sql(), example.dialect()));
            assertThat(refused.reason()).as(refused.detail()).isEqualTo(Reason.valueOf(example.expected()));
        }
    }
}
