package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fanfold.config.ConfigLoader;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.LogConfig;
import io.fanfold.inspect.Inspection;
import io.fanfold.metrics.FanOutReport;
import io.fanfold.metrics.VerifyReport;
import io.fanfold.server.RunningProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class ReloadTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(Reload.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    private final List<Duration> slow = new ArrayList<>();

    @TempDir
    Path directory;

    @BeforeEach
    void listen() {
        log.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(log);
    }

    @AfterEach
    void listenNoMore() {
        logger.detachAppender(log);
        logger.setLevel(null);
    }

    @Test
    void namesEveryMistakeInALineOfItsOwn() throws IOException {
        assertThat(reload("listener:\n  port: many\nlog:\n  levels: debug\n"))
                .containsExactly(
                        "the settings stay as they are: f.yaml:2:9: listener.port: 'many' (expected: a whole number"
                                + " 0..65535)",
                        "the settings stay as they are: f.yaml:4:3: log.levels: unknown key, did you mean level?"
                                + " (expected: level, format, slow)");
    }

    @Test
    void saysThatSettingsOfTablesHoldAfterARestart() throws IOException {
        assertThat(reload("tables:\n  shop.orders: {degree: 3}\n"))
                .containsExactly("settings of tables have changed; restart Fanfold to use them");
    }

    @Test
    void theSettingsOfTheLogChangeAtOnce() throws IOException {
        try {
            assertThat(reload("log: {slow: 2s, format: json}\n"))
                    .containsExactly("log.format is JSON now", "log.slow is 2000 ms now");
            assertThat(slow).containsExactly(Duration.ofSeconds(2));
        } finally {
            LogOutput.ofProcess().format(LogConfig.Format.TEXT);
        }
    }

    /** Returns the log lines after the settings file of a proxy, empty at the start, is replaced by this text. */
    private List<String> reload(String text) throws IOException {
        ConfigLoader loader = new ConfigLoader(Map.<String, String>of()::get);
        Path file = Files.writeString(directory.resolve("f.yaml"), "");
        FanfoldConfig running = loader.load(file);
        Files.writeString(file, text);
        new Reload(running, () -> loader.load(file), new Proxy()).run();
        return log.list.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> !line.startsWith("SIGHUP"))
                .toList();
    }

    private final class Proxy implements RunningProxy {
        @Override
        public int port() {
            return 3307;
        }

        @Override
        public Inspection inspection() {
            return new Inspection(List.of(), List.of(), true);
        }

        @Override
        public CompletableFuture<VerifyReport> lastVerification() {
            return new CompletableFuture<>();
        }

        @Override
        public FanOutReport lastFanOut() {
            return FanOutReport.NONE;
        }

        @Override
        public CompletableFuture<Void> broken() {
            return new CompletableFuture<>();
        }

        @Override
        public void readCertificates() {}

        @Override
        public void logSlow(Duration limit) {
            slow.add(limit);
        }

        @Override
        public void close() {}
    }
}
