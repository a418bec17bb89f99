package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ExhaustedHeapIT {
    /**
     * The heap is too small to start. Wherever the error is thrown, the exit status says that the process may be
     * restarted.
     */
    @Test
    void endsTheProcessWithStatus70() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx8m",
                        "-Dlogback.configurationFile=logback.xml",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "run",
                        "--listen",
                        "127.0.0.1:0")
                .redirectErrorStream(true)
                .start();
        try {
            String log = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(log).isEqualTo(70);
            assertThat(log).contains("the heap is exhausted");
        } finally {
            process.destroyForcibly();
        }
    }
}
