package io.fanfold.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StepsTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    @Test
    void drawsALineAgainAndAgainOnATerminal() {
        Steps steps = new Steps(out, true, Duration.ofMillis(1));
        try (Steps.Step step = steps.begin("starting")) {
            await().until(() -> text().matches("(?s)(\rstarting \\d+\\.\\d s){3,}"));
        }
        assertThat(text()).matches("(?s)(\rstarting \\d+\\.\\d s){4,}\n");
        String ended = text();
        steps.begin("next").close();
        assertThat(text()).startsWith(ended + "\rnext ").endsWith(" s\n");
    }

    @Test
    void clearsTheLineOfAShortStep() {
        try (Steps.Step step = new Steps(out, true, Duration.ofDays(1)).beginShort("count")) {
            await().until(() -> text().matches("\rcount \\d\\.\\d s"));
        }
        assertThat(text()).endsWith(" s\r           \r");
    }

    @Test
    void writesPlainLinesElsewhere() {
        Steps steps = new Steps(out, false, Duration.ofMillis(1));
        steps.begin("starting").close();
        steps.beginShort("count").close();
        steps.beginLoading(1500).close();
        assertThat(text()).startsWith("starting\nloading 1,500 rows\nloading [").doesNotContain("\r");
    }

    @Test
    void writesNothingAfterItsEnd() {
        Steps steps = new Steps(out, true, Duration.ofMillis(1));
        try (Steps.Step step = steps.begin("starting");
                ProgressBar bar = steps.beginLoading(10)) {
            await().until(() -> text().startsWith("\rstarting "));
            steps.end();
            String ended = text();
            steps.begin("next").close();
            bar.close();
            step.close();
            assertThat(text()).isEqualTo(ended);
        }
    }

    private String text() {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
