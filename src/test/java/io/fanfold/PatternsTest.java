package io.fanfold;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Regular expressions read each character of a text a bounded number of times and need no stack for it, since clients
 * choose the texts. All patterns are tried with texts made of their own words and of SQL punctuation.
 */
class PatternsTest {
    /** The beginnings of hostile texts. */
    private static final List<String> BEGINNINGS = List.of(
            "",
            " ",
            "'",
            "\"",
            "`",
            "(",
            "/*",
            "ROUND(",
            "f ( ",
            "DECIMAL(",
            "ROWS BETWEEN ",
            "PARTITIONS 7",
            "PARTITION `",
            "PARTITION \"",
            "PARTITION p VALUES IN (",
            "2026-01-01",
            "-0",
            "a,",
            "1.");

    /** The parts that hostile texts repeat. */
    private static final List<String> PARTS = List.of(
            "a", "0", " ", "\n", "(", ")", "()", "'", "''", "'a'", "\"", "\"\"", "`", "``", "`a`", "/*", "/* ", "*/",
            "/**/", "-- ", "#", ",", "a,", "'a',", "1,", ".", "a.", "\\", "%", "=", "a b ", "a(", "é");

    private static final int SHORT = 1_000;
    private static final int LONG = 30_000;

    /** The limit of reads per character: one for each word that a pattern may begin with, and a few more. */
    private static final int LOOKS = 60;

    private static final Set<String> IN_STRING = Set.of("matches", "replaceAll", "replaceFirst");

    /** Fails if its characters are read too often. */
    private static final class Watched implements CharSequence {
        private final String text;
        private final String what;
        private long left;

        Watched(String text, String what) {
            this.text = text;
            this.what = what;
            this.left = (long) LOOKS * text.length();
        }

        @Override
        public char charAt(int index) {
            if (left-- == 0) {
                throw new AssertionError(what + " looks more than " + LOOKS + " times at a character");
            }
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.substring(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** Excludes the tools and the settings file, whose input comes from their own user. */
    private static List<JavaClass> classes() {
        return new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages("io.fanfold").stream()
                        .filter(type -> !type.getPackageName().matches("io\\.fanfold\\.(cli|config|demo)\\b.*"))
                        .toList();
    }

    /** Returns all patterns in static fields, by field name. */
    private static Map<String, Pattern> patterns() throws ReflectiveOperationException {
        Map<String, Pattern> patterns = new LinkedHashMap<>();
        for (JavaClass type : classes()) {
            for (JavaField field : type.getFields()) {
                if (field.getRawType().isEquivalentTo(Pattern.class)) {
                    assertThat(field.getModifiers()).as(field.getFullName()).contains(JavaModifier.STATIC);
                    Field reflected = field.reflect();
                    reflected.setAccessible(true);
                    patterns.put(field.getFullName(), (Pattern) reflected.get(null));
                }
            }
        }
        return patterns;
    }

    @Test
    void allAreLinear() throws Exception {
        Map<String, Pattern> patterns = patterns();
        assertThat(patterns).hasSizeGreaterThan(30);
        requireLinear(patterns, SHORT, pattern -> {
            List<String> parts = new ArrayList<>(PARTS);
            parts.addAll(words(pattern));
            return parts;
        });
    }

    @Test
    void noneNeedsAStack() throws Exception {
        requireLinear(patterns(), LONG, pattern -> List.of("a", "1,", "'a',", "a,", "``", "\"\"", "''", "a."));
    }

    private static void requireLinear(
            Map<String, Pattern> patterns, int length, Function<Pattern, List<String>> parts) {
        Map<String, String> failures = new TreeMap<>();
        patterns.forEach((name, pattern) -> {
            for (String beginning : BEGINNINGS) {
                for (String part : parts.apply(pattern)) {
                    try {
                        requireLinear(name, pattern, beginning, part, length);
                    } catch (AssertionError e) {
                        failures.put(name, String.valueOf(e.getMessage()));
                    }
                }
            }
        });
        assertThat(failures.values()).isEmpty();
    }

    /** The test detects patterns that are not linear. */
    @Test
    void othersAreFound() {
        for (String regex :
                List.of("/\\*.*?\\*/", "a.*b", "(a+)+b", "\\s+$", "(?:x|ab|a)*c", "(?:[^'\"]|'[^']*')*\\)")) {
            Pattern pattern = Pattern.compile(regex, Pattern.DOTALL);
            boolean found = false;
            try {
                for (String part : PARTS) {
                    requireLinear(regex, pattern, "", part, LONG);
                }
            } catch (AssertionError e) {
                found = true;
            }
            assertThat(found).as(regex).isTrue();
        }
    }

    /** Patterns that are compiled at their use would escape this test. */
    @Test
    void noneIsHidden() {
        Set<String> hidden = new TreeSet<>();
        for (JavaClass type : classes()) {
            for (JavaMethodCall call : type.getMethodCallsFromSelf()) {
                boolean ofString =
                        call.getTargetOwner().isEquivalentTo(String.class) && IN_STRING.contains(call.getName());
                boolean compiled = call.getTargetOwner().isEquivalentTo(Pattern.class)
                        && Set.of("compile", "matches").contains(call.getName())
                        && !call.getOrigin().getName().equals("<clinit>");
                if (ofString || compiled) {
                    hidden.add(call.getDescription());
                }
            }
        }
        assertThat(hidden).isEmpty();
    }

    private static Set<String> words(Pattern pattern) {
        return Pattern.compile("[A-Za-z_]{3,}")
                .matcher(pattern.pattern())
                .results()
                .map(word -> word.group() + " ")
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void requireLinear(String name, Pattern pattern, String beginning, String part, int length) {
        String text = beginning + String.join("", Collections.nCopies(length / part.length(), part)) + "\u0001";
        String what = name + " on '" + beginning + part + part + "…'";
        try {
            Matcher all = pattern.matcher(new Watched(text, what));
            while (all.find()) {
                assertThat(all.end()).isLessThanOrEqualTo(text.length());
            }
            assertThat(pattern.matcher(new Watched(text, what)).matches()).isIn(true, false);
        } catch (StackOverflowError e) {
            throw new AssertionError(what + " needs too much stack", e);
        }
    }
}
