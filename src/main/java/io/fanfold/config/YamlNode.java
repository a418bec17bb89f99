package io.fanfold.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A value of the YAML file with its position; line and column count from 1. Immutable. */
sealed interface YamlNode {
    int line();

    int column();

    /** Describes the value in messages: its text in quotes, or its kind. */
    String found();

    /**
     * A plain or quoted value.
     *
     * @param text the text without quotes
     */
    record Scalar(int line, int column, String text) implements YamlNode {
        @Override
        public String found() {
            return text.isEmpty() ? "nothing" : "'" + text + "'";
        }
    }

    /** A list. */
    record Sequence(int line, int column, List<YamlNode> items) implements YamlNode {
        public Sequence {
            items = List.copyOf(items);
        }

        @Override
        public String found() {
            return "a list";
        }
    }

    /**
     * Keys and values in the order of the file.
     *
     * @param entries the values by key
     */
    record Mapping(int line, int column, Map<String, YamlEntry> entries) implements YamlNode {
        public Mapping {
            entries = new LinkedHashMap<>(entries);
        }

        @Override
        public String found() {
            return "a group of keys";
        }
    }

    /** A value that was not read because of a mistake already reported. Its key is treated as absent. */
    record Unreadable(int line, int column) implements YamlNode {
        @Override
        public String found() {
            return "a value that was not read";
        }
    }

    /** A key's position and its value. */
    record YamlEntry(int line, int column, YamlNode value) {}
}
