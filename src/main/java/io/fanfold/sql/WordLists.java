package io.fanfold.sql;

import io.fanfold.sql.SelectModel.AggregateFunction;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The words of one kind of server: its reserved words, and the functions that are safe to run on any connection. All
 * words are in upper case. Immutable.
 */
final class WordLists {
    private static final Map<String, Set<String>> FUNCTIONS = sections("functions.txt");
    private static final WordLists MYSQL = new WordLists("mysql");
    private static final WordLists MARIADB = new WordLists("mariadb");

    private static final Map<String, AggregateFunction> AGGREGATES = aggregates();

    private static Map<String, AggregateFunction> aggregates() {
        Map<String, AggregateFunction> functions = new HashMap<>();
        for (AggregateFunction function : AggregateFunction.values()) {
            functions.put(function.name(), function);
        }
        functions.put("VARIANCE", AggregateFunction.VAR_POP);
        functions.put("STD", AggregateFunction.STDDEV_POP);
        functions.put("STDDEV", AggregateFunction.STDDEV_POP);
        return Map.copyOf(functions);
    }

    private final Set<String> reserved;
    private final Set<String> functions;

    private WordLists(String server) {
        reserved = sections("reserved-" + server + ".txt").getOrDefault("", Set.of());
        Set<String> known = new HashSet<>(FUNCTIONS.getOrDefault("both", Set.of()));
        known.addAll(FUNCTIONS.getOrDefault(server, Set.of()));
        functions = Set.copyOf(known);
    }

    static WordLists of(SqlDialect dialect) {
        return dialect.flavor().isMariaDb() ? MARIADB : MYSQL;
    }

    boolean reserved(String word) {
        return reserved.contains(word);
    }

    /** Whether the function is deterministic and built into every supported version of the server. */
    boolean safeFunction(String name) {
        return functions.contains(name);
    }

    static boolean sessionFunction(String name) {
        return FUNCTIONS.getOrDefault("session", Set.of()).contains(name);
    }

    /** Whether the function is an aggregate that the model supports. */
    static boolean aggregate(String name) {
        return AGGREGATES.containsKey(name);
    }

    /** Returns the function of a name for which {@link #aggregate} is true. */
    static AggregateFunction aggregateFunction(String name) {
        return Objects.requireNonNull(AGGREGATES.get(name), name);
    }

    /** Returns the words of a resource by section; those before any section are under "". */
    private static Map<String, Set<String>> sections(String resource) {
        Map<String, Set<String>> sections = new HashMap<>();
        String section = "";
        try (InputStream in = WordLists.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("resource " + resource + " is missing from the build");
            }
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String word = line.strip();
                if (word.startsWith("[")) {
                    section = word.substring(1, word.length() - 1);
                } else if (!word.isEmpty() && !word.startsWith("#")) {
                    sections.computeIfAbsent(section, key -> new HashSet<>()).add(word);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read resource " + resource, e);
        }
        return sections;
    }
}
