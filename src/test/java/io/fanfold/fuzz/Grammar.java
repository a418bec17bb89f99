package io.fanfold.fuzz;

import io.fanfold.wire.ServerFlavor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The lines of {@code grammar.txt} for one kind of server. Immutable, thread-safe. */
final class Grammar {
    private static final int SELDOM_PERCENT = 8;
    private static final Pattern HOLE = Pattern.compile("\\{([a-z0-9]+)}");

    private final Map<String, List<Production>> sections;

    private Grammar(Map<String, List<Production>> sections) {
        this.sections = sections;
    }

    /**
     * One way to write a value.
     *
     * @param texts one more than there are holes
     * @param holes the names between the braces
     * @param compares whether the line begins with =
     * @param seldom whether the line begins with ?
     */
    record Production(List<String> texts, List<String> holes, boolean compares, boolean seldom) {
        static Production of(String line) {
            boolean compares = line.startsWith("=");
            boolean seldom = line.startsWith("?");
            String text = compares || seldom ? line.substring(1) : line;
            List<String> texts = new ArrayList<>();
            List<String> holes = new ArrayList<>();
            Matcher matcher = HOLE.matcher(text);
            int at = 0;
            while (matcher.find()) {
                texts.add(text.substring(at, matcher.start()));
                holes.add(matcher.group(1));
                at = matcher.end();
            }
            texts.add(text.substring(at));
            return new Production(List.copyOf(texts), List.copyOf(holes), compares, seldom);
        }
    }

    static Grammar of(ServerFlavor flavor) {
        Map<String, List<Production>> sections = new TreeMap<>();
        String section = "";
        String foreign = flavor.isMariaDb() ? "mysql!" : "mariadb!";
        String own = flavor.isMariaDb() ? "mariadb!" : "mysql!";
        try (InputStream in = Grammar.class.getResourceAsStream("grammar.txt")) {
            if (in == null) {
                throw new IllegalStateException("resource grammar.txt is missing from the build");
            }
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("[")) {
                    section = line.substring(1, line.length() - 1);
                } else if (!line.startsWith("#") && !line.startsWith(foreign)) {
                    add(sections, section, line.startsWith(own) ? line.substring(own.length()) : line);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read resource grammar.txt", e);
        }
        return new Grammar(sections);
    }

    private static void add(Map<String, List<Production>> sections, String section, String line) {
        String name = section;
        String text = line;
        if (section.equals("literals")) {
            int blank = line.indexOf(' ');
            name = line.substring(0, blank);
            text = line.substring(blank + 1).replace("\\u00e9", "\u00e9").replace("\\u00df", "\u00df");
        }
        sections.computeIfAbsent(name, key -> new ArrayList<>()).add(Production.of(text));
    }

    /** Returns one of several lines. */
    static Production oneOf(Dice dice, List<Production> lines) {
        Production line = dice.oneOf(lines);
        while (line.seldom() && !dice.percent(SELDOM_PERCENT)) {
            line = dice.oneOf(lines);
        }
        return line;
    }

    /** Returns the lines of a section, or the literals of a name; empty if it does not exist. */
    List<Production> section(String name) {
        return sections.getOrDefault(name, List.of());
    }
}
