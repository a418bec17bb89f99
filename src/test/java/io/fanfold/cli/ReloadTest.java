package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fanfold.config.ConfigLoader;
import io.fanfold.config.RunningSettings;
import io.fanfold.config.SettingsFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class ReloadTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.fanfold");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    private final AtomicInteger certificates = new AtomicInteger();

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
    void oneLineNamesWhatHasChangedAndWhatNeedsARestart() throws IOException {
        assertThat(reload("fan-out: {degree: 4}\ntables:\n  shop.orders: {degree: 3}\nlistener: {port: 1}\n"))
                .containsExactly("settings reloaded: changed fan-out.degree: auto -> 4, tables.shop.orders: (none) ->"
                        + " {degree: 3}; restart Fanfold to change listener.port: 3307 -> 1");
    }

    @Test
    void certificatesAreReadAgainEvenIfTheSettingsAreWrong() throws IOException {
        reload("log: {level: loud}\n");
        assertThat(certificates).hasValue(1);
    }

    /** Returns the log lines after the settings file of a proxy, empty at the start, is replaced by this text. */
    private List<String> reload(String text) throws IOException {
        ConfigLoader loader = new ConfigLoader(Map.<String, String>of()::get);
        Path file = Files.writeString(directory.resolve("f.yaml"), "");
        RunningSettings running = new RunningSettings(new SettingsFile(loader, file, UnaryOperator.identity()));
        running.onReload(certificates::incrementAndGet);
        Files.writeString(file, text);
        new Reload(running).run();
        return log.list.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> !line.startsWith("SIGHUP"))
                .toList();
    }
}
