package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.OutputStreamAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fanfold.config.LogConfig;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LogOutputTest {
    private final LoggerContext context = new LoggerContext();
    private final LogOutput output = new LogOutput(context);

    @BeforeEach
    void configure() throws Exception {
        context.setMDCAdapter(new LogbackMDCAdapter());
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(Objects.requireNonNull(Main.class.getResource("/logback.xml")));
    }

    @AfterEach
    void stop() {
        context.stop();
    }

    /** Returns what each appender makes of a warning. */
    private List<String> lines(String message) {
        LoggingEvent event =
                new LoggingEvent("", context.getLogger("io.fanfold.x"), Level.WARN, message, new Exception("e"), null);
        List<String> lines = new ArrayList<>();
        Iterator<Appender<ILoggingEvent>> appenders =
                context.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders();
        while (appenders.hasNext()) {
            OutputStreamAppender<ILoggingEvent> appender = (OutputStreamAppender<ILoggingEvent>) appenders.next();
            lines.add(new String(appender.getEncoder().encode(event), StandardCharsets.UTF_8));
        }
        return lines;
    }

    @Test
    void jsonIsOneObjectInOneLine() throws Exception {
        output.format(LogConfig.Format.JSON);
        String message = "a \"quoted\"\r\n2026 INFO forged\u001b[2K é";
        assertThat(lines(message)).singleElement().satisfies(line -> {
            assertThat(line.lines()).hasSize(1);
            JsonNode object = new ObjectMapper().readTree(line);
            assertThat(object.get("level").asText()).isEqualTo("WARN");
            assertThat(object.get("loggerName").asText()).isEqualTo("io.fanfold.x");
            assertThat(object.get("formattedMessage").asText()).isEqualTo(message);
            assertThat(object.get("throwable").get("message").asText()).isEqualTo("e");
            assertThat(object.get("timestamp").isNumber()).isTrue();
        });
    }

    @Test
    void theFormatCanBeChangedBack() {
        List<String> text = lines("m");
        output.format(LogConfig.Format.TEXT);
        output.format(LogConfig.Format.JSON);
        output.format(LogConfig.Format.JSON);
        assertThat(lines("m")).singleElement().asString().startsWith("{");
        output.format(LogConfig.Format.TEXT);
        assertThat(text).hasSize(1);
        assertThat(lines("m")).singleElement().asString().contains(" WARN  ");
    }

    @Test
    void aQuietCommandLogsOnlyErrors() {
        Logger own = context.getLogger("io.fanfold.x");
        try (LogOutput.Quiet quiet = output.quiet()) {
            assertThat(quiet).isNotNull();
            assertThat(own.isWarnEnabled()).isFalse();
            assertThat(own.isErrorEnabled()).isTrue();
        }
        assertThat(own.isInfoEnabled()).isTrue();
    }

    @Test
    void theLevelIsThatOfFanfoldsOwnLines() {
        output.level(LogConfig.Level.DEBUG);
        assertThat(context.getLogger("io.fanfold.x").isDebugEnabled()).isTrue();
        assertThat(context.getLogger("com.zaxxer.hikari").isInfoEnabled()).isFalse();
    }
}
