package io.fanfold.config;

/**
 * Settings of the log.
 *
 * @param level the lowest level of Fanfold's own messages that is logged
 */
public record LogConfig(Level level) {
    /** From few messages to many. */
    public enum Level {
        ERROR,
        WARN,
        INFO,
        DEBUG,
        TRACE
    }

    public static LogConfig defaults() {
        return new LogConfig(Level.INFO);
    }
}
