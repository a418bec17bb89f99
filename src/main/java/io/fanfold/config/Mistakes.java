package io.fanfold.config;

import java.util.ArrayList;
import java.util.List;

/** Collects the mistakes of one file. Not thread-safe. */
final class Mistakes {
    private final String file;
    private final List<ConfigException.Mistake> found = new ArrayList<>();
    private boolean cutShort;

    Mistakes(String file) {
        this.file = file;
    }

    /**
     * Adds a mistake.
     *
     * @param line the line where it starts, from 1; 0 for the whole file
     * @param key the full key, "" for none
     */
    void add(int line, int column, String key, String problem) {
        found.add(ConfigException.Mistake.of(file, line, column, key, problem));
    }

    /** Records that the file could not be read to its end. Keys that seem to be missing may be in the rest. */
    void cutShort() {
        cutShort = true;
    }

    boolean isCutShort() {
        return cutShort;
    }

    /** @throws ConfigException with all mistakes, if there are any */
    void refuse() {
        if (!found.isEmpty()) {
            throw new ConfigException(found);
        }
    }
}
