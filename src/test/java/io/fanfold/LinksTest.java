package io.fanfold;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each link of the documentation to another page, or to a section of one, leads there. */
class LinksTest {
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("#{1,6} (.+)");

    /** What is dropped when a heading becomes an anchor. */
    private static final Pattern DROPPED = Pattern.compile("[^\\p{L}\\p{N}_ -]");

    private final Map<Path, Set<String>> anchors = new HashMap<>();

    @Test
    void eachLinkLeadsSomewhere() throws IOException {
        List<String> dead = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            for (String line : text(page)) {
                Matcher link = LINK.matcher(line);
                while (link.find()) {
                    String target = link.group(1);
                    if (!target.startsWith("http")) {
                        links++;
                        if (!leads(page, target)) {
                            dead.add(page + ": " + target);
                        }
                    }
                }
            }
        }
        assertThat(links).isGreaterThan(100);
        assertThat(dead).isEmpty();
    }

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>();
        for (String folder : List.of("", "docs")) {
            try (Stream<Path> files = Files.list(Path.of(folder))) {
                files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
            }
        }
        return pages;
    }

    private boolean leads(Path page, String target) throws IOException {
        int hash = target.indexOf('#');
        String file = hash < 0 ? target : target.substring(0, hash);
        Path path = file.isEmpty() ? page : page.resolveSibling(file).normalize();
        return Files.exists(path) && (hash < 0 || anchors(path).contains(target.substring(hash + 1)));
    }

    private Set<String> anchors(Path page) throws IOException {
        Set<String> known = anchors.get(page);
        if (known != null) {
            return known;
        }
        Set<String> found = new HashSet<>();
        for (String line : text(page)) {
            Matcher heading = HEADING.matcher(line);
            if (heading.matches()) {
                found.add(DROPPED.matcher(heading.group(1).toLowerCase(Locale.ROOT))
                        .replaceAll("")
                        .replace(' ', '-'));
            }
        }
        anchors.put(page, found);
        return found;
    }

    /** Returns the lines of a page without its blocks of code. */
    private static List<String> text(Path page) throws IOException {
        List<String> lines = new ArrayList<>();
        boolean code = false;
        for (String line : Files.readAllLines(page)) {
            if (line.startsWith("```")) {
                code = !code;
            } else if (!code) {
                lines.add(line);
            }
        }
        return lines;
    }
}
