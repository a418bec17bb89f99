package io.fanfold.config;

/**
 * What is logged.
 *
 * @param level the least level of Fanfold's own lines
 */
public record LogConfig(Level level) {
    /** From few lines to many. */
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
