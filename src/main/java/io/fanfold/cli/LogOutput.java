package io.fanfold.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import io.fanfold.config.LogConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Applies the settings of the log to the logging library. Thread-safe. */
final class LogOutput {
    /** The loggers whose level is a setting. */
    private static final String OWN = "io.fanfold";

    /** The appender of logback.xml, for people. */
    private static final String TEXT = "STDERR";

    private static final String JSON = "STDERR_JSON";

    private static final LogOutput OF_PROCESS = new LogOutput((LoggerContext) LoggerFactory.getILoggerFactory());

    private final LoggerContext context;

    /** The appender of logback.xml, while the other one is in its place. */
    private @Nullable Appender<ILoggingEvent> text;

    LogOutput(LoggerContext context) {
        this.context = context;
    }

    static LogOutput ofProcess() {
        return OF_PROCESS;
    }

    /** Sets the level and the format. A level that was set for the process stays. */
    void begin(LogConfig log) {
        if (!levelIsSet()) {
            level(log.level());
        }
        format(log.format());
    }

    /** Takes changed settings over. A level that was set for the process stays until the setting changes. */
    void change(LogConfig before, LogConfig now) {
        if (now.level() != before.level()) {
            level(now.level());
        }
        if (now.format() != before.format()) {
            format(now.format());
        }
    }

    /** Logs only errors until the result is closed, for a command whose output says the rest. A level that was set stays. */
    Quiet quiet() {
        Logger own = context.getLogger(OWN);
        Level before = own.getLevel();
        if (!levelIsSet()) {
            own.setLevel(Level.ERROR);
        }
        return () -> own.setLevel(before);
    }

    /** The time in which only errors are logged. */
    @FunctionalInterface
    interface Quiet extends AutoCloseable {
        @Override
        void close();
    }

    /** Whether a level was set for the process. */
    private static boolean levelIsSet() {
        return System.getProperty("fanfold.log.level") != null || System.getenv("FANFOLD_LOG_LEVEL") != null;
    }

    void level(LogConfig.Level level) {
        context.getLogger(OWN).setLevel(Level.toLevel(level.name()));
    }

    /** Sets the form of the lines from now on. A line that is logged meanwhile may appear in both forms. */
    synchronized void format(LogConfig.Format format) {
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        Appender<ILoggingEvent> before = text;
        Appender<ILoggingEvent> now = root.getAppender(TEXT);
        if (format == LogConfig.Format.JSON && now != null) {
            text = now;
            root.addAppender(json());
            root.detachAppender(TEXT);
        } else if (format == LogConfig.Format.TEXT && before != null) {
            text = null;
            root.addAppender(before);
            root.detachAppender(JSON);
        }
    }

    private Appender<ILoggingEvent> json() {
        JsonEncoder encoder = new JsonEncoder();
        encoder.setContext(context);
        encoder.setWithSequenceNumber(false);
        encoder.setWithNanoseconds(false);
        encoder.setWithContext(false);
        encoder.setWithMessage(false);
        encoder.setWithArguments(false);
        encoder.setWithFormattedMessage(true);
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setName(JSON);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
        appender.start();
        return appender;
    }
}
