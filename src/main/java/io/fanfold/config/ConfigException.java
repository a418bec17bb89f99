package io.fanfold.config;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The settings file has mistakes. The message has one line for each mistake, in the order of the file. A line names the
 * file, the line and column (both from 1), the full key, the value found and the expected one. It never contains a
 * secret.
 */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Mistake> mistakes;

    /**
     * One mistake.
     *
     * @param line where it starts, from 1; 0 for the whole file
     * @param column where it starts, from 1; 0 for the whole file
     * @param key the full key, such as {@code workers.connections}; "" for none
     * @param text the complete message in one line, with file and position
     */
    public record Mistake(int line, int column, String key, String text) {
        static Mistake of(String file, int line, int column, String key, String problem) {
            String place = line == 0 ? "" : ":" + line + ":" + column;
            return new Mistake(line, column, key, file + place + ": " + (key.isEmpty() ? "" : key + ": ") + problem);
        }
    }

    /**
     * Creates an exception about the whole file.
     *
     * @param file the file's name
     * @param problem what is wrong with it
     */
    ConfigException(String file, String problem) {
        this(List.of(Mistake.of(file, 0, 0, "", problem)));
    }

    /** @param mistakes in any order, at least one */
    ConfigException(List<Mistake> mistakes) {
        super(sorted(mistakes).stream().map(Mistake::text).collect(Collectors.joining("\n")));
        this.mistakes = sorted(mistakes);
    }

    private static List<Mistake> sorted(List<Mistake> mistakes) {
        return mistakes.stream()
                .sorted(Comparator.comparingInt(Mistake::line).thenComparingInt(Mistake::column))
                .toList();
    }

    /** Returns all mistakes in the order of the file, at least one. */
    public List<Mistake> mistakes() {
        return mistakes;
    }
}
