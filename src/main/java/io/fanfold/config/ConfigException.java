package io.fanfold.config;

/**
 * Something in the settings' file is wrong. The message names the file, the line and column (both from 1), the full
 * path of the key, what was found and what was expected, and never holds a secret.
 */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int line;
    private final int column;
    private final String key;

    /**
     * @param file the file's name
     * @param line where the problem starts, from 1; 0 when the whole file is meant
     * @param column where the problem starts, from 1; 0 when the whole file is meant
     * @param key the key's full path, such as {@code workers.connections}; "" when no key is meant
     * @param problem what was found, and in brackets what was expected
     */
    ConfigException(String file, int line, int column, String key, String problem) {
        super(file + (line == 0 ? "" : ":" + line + ":" + column) + ": " + (key.isEmpty() ? "" : key + ": ") + problem);
        this.line = line;
        this.column = column;
        this.key = key;
    }

    /** The line of the problem, from 1; 0 when the whole file is meant. */
    public int line() {
        return line;
    }

    /** The column of the problem, from 1; 0 when the whole file is meant. */
    public int column() {
        return column;
    }

    /** The full path of the key, "" when no key is meant. */
    public String key() {
        return key;
    }
}
