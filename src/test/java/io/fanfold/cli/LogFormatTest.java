package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.OutputStreamAppender;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LogFormatTest {
    /**
     * Messages may contain text from servers and clients. It must not look like log lines, nor hide the following ones.
     */
    @Test
    void aMessageIsOneLineWithoutControlCharacters() throws Exception {
        LoggerContext context = new LoggerContext();
        context.setMDCAdapter(new LogbackMDCAdapter());
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(Objects.requireNonNull(Main.class.getResource("/logback.xml")));
        OutputStreamAppender<ILoggingEvent> appender = (OutputStreamAppender<ILoggingEvent>) Objects.requireNonNull(
                context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("STDERR"));
        LoggingEvent event = new LoggingEvent(
                "", context.getLogger("io.fanfold.x"), Level.WARN, "a\0b\r\n2026 INFO forged\u001b[2K é", null, null);
        String line = new String(appender.getEncoder().encode(event), StandardCharsets.UTF_8);
        assertThat(line).contains(" WARN  ").endsWith(" a?b??2026 INFO forged?[2K é" + System.lineSeparator());
        assertThat(line.lines()).hasSize(1);
        context.stop();
    }
}
