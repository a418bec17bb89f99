package io.fanfold.config;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * Settings of the log.
 *
 * @param level the lowest level of Fanfold's own messages that is logged
 * @param format the form of a line
 * @param slow statements that take longer have a line of their own; zero for none
 */
@RecordBuilder
public record LogConfig(Level level, Format format, Duration slow) implements LogConfigBuilder.With {
    /** From few messages to many. */
    public enum Level {
        ERROR,
        WARN,
        INFO,
        DEBUG,
        TRACE
    }

    /** Forms of a line. */
    public enum Format {
        /** For people. */
        TEXT,
        /** One JSON object. */
        JSON
    }

    public static LogConfig defaults() {
        return new LogConfig(Level.INFO, Format.TEXT, Duration.ZERO);
    }
}
