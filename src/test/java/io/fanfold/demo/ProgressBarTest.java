package io.fanfold.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProgressBarTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    @Test
    void showsHowFarTheWorkHasCome() {
        ProgressBar bar = new ProgressBar(out, true, "loading", 3000);
        bar.add(1500);
        assertThat(bar.line(2_500_000_000L))
                .isEqualTo("loading [###############---------------]  50 % 1,500 rows 2.5 s");
        assertThat(text()).startsWith("\rloading [###############---------------]  50 % 1,500 rows");
    }

    @Test
    void neverShowsMoreThanAll() {
        ProgressBar bar = new ProgressBar(out, true, "loading", 10);
        bar.add(11);
        assertThat(bar.line(0)).contains("100 % 10 rows");
    }

    @Test
    void writesOneLineWithoutATerminal() {
        try (ProgressBar bar = new ProgressBar(out, false, "loading", 10)) {
            bar.add(4);
            bar.add(6);
            assertThat(text()).isEmpty();
        }
        assertThat(text())
                .startsWith("loading [##############################] 100 % 10 rows")
                .endsWith(" s" + System.lineSeparator());
        assertThat(text()).doesNotContain("\r");
    }

    private String text() {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
