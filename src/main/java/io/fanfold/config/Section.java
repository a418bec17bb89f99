package io.fanfold.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads one group of keys. Each method takes a key, its default and its range, and returns the value. A wrong value is
 * added to the file's {@link Mistakes} and the default is returned, so that the rest is read too. {@link #end()}
 * reports unknown keys. Not thread-safe.
 */
final class Section {
    /** Names with letters of any script, IPv4 and IPv6 addresses, and the zone of a link-local one. */
    private static final Pattern HOST =
            Pattern.compile("[\\p{L}\\p{N}][\\p{L}\\p{N}._-]*|(?=.*:.*:)[0-9A-Fa-f:.]+(%[A-Za-z0-9._-]+)?");

    private final Mistakes mistakes;
    private final String path;
    private final Map<String, YamlNode.YamlEntry> entries;
    private final Set<String> known = new LinkedHashSet<>();
    private final Set<String> forbidden = new HashSet<>();
    private final Set<String> wrong = new HashSet<>();

    private Section(Mistakes mistakes, String path, Map<String, YamlNode.YamlEntry> entries) {
        this.mistakes = mistakes;
        this.path = path;
        this.entries = entries;
    }

    /** Returns the outermost group. */
    static Section root(Mistakes mistakes, YamlNode node) {
        if (node instanceof YamlNode.Mapping mapping) {
            return new Section(mistakes, "", mapping.entries());
        }
        if (!(node instanceof YamlNode.Unreadable)) {
            mistakes.add(node.line(), node.column(), "", node.found() + " (expected: groups of keys)");
        }
        return new Section(mistakes, "", Map.of());
    }

    /** Reads a group with {@code reader}; an absent or empty group has only defaults. */
    <T> T group(String key, Function<Section, T> reader) {
        YamlNode node = take(key);
        Map<String, YamlNode.YamlEntry> inner = Map.of();
        if (node instanceof YamlNode.Mapping mapping) {
            inner = mapping.entries();
        } else if (node != null
                && !(node instanceof YamlNode.Scalar scalar && scalar.text().isEmpty())) {
            mistake(key, node.found(), "a group of keys");
        }
        Section section = new Section(mistakes, path(key), inner);
        T value = reader.apply(section);
        section.end();
        return value;
    }

    /** Returns all keys of the group in the order of the file. */
    Set<String> keys() {
        return entries.keySet();
    }

    /** Returns the result of {@code reader} for a key without a default; null if the key is absent. */
    <T> @Nullable T optional(String key, Supplier<T> reader) {
        known.add(key);
        return has(key) ? reader.get() : null;
    }

    String text(String key, String fallback, boolean mayBeEmpty) {
        String text = scalar(key, "a text");
        if (text == null) {
            return fallback;
        }
        if (text.isEmpty() && !mayBeEmpty) {
            mistake(key, "nothing", "a text");
            return fallback;
        }
        return text;
    }

    /** Reads a host name or an address. Names are not resolved. */
    String host(String key, String fallback) {
        String text = text(key, fallback, false);
        if (sound(key) && !HOST.matcher(text).matches()) {
            mistake(key, found(text), "a host name or an address, without port, blanks or brackets");
            return fallback;
        }
        return text;
    }

    /** Reads a text without a default; null if it is absent or wrong. */
    @Nullable
    String optionalText(String key) {
        known.add(key);
        String text = has(key) ? text(key, "", false) : "";
        return text.isEmpty() ? null : text;
    }

    boolean flag(String key, boolean fallback) {
        String text = scalar(key, "true or false");
        if (text == null) {
            return fallback;
        }
        if (!text.equals("true") && !text.equals("false")) {
            mistake(key, found(text), "true or false");
            return fallback;
        }
        return text.equals("true");
    }

    int integer(String key, int fallback, int min, int max) {
        return Math.toIntExact(number(key, fallback, min, max));
    }

    long number(String key, long fallback, long min, long max) {
        String expected = "a whole number " + (max == Long.MAX_VALUE ? ">= " + min : min + ".." + max);
        return quantity(key, fallback, Section::wholeNumber, min, max, expected);
    }

    Duration duration(String key, Duration fallback, Duration min, Duration max) {
        String expected = "a duration " + Quantity.text(min) + ".." + Quantity.text(max) + ", with unit ms, s, m or h";
        long millis = quantity(key, fallback.toMillis(), Quantity::millis, min.toMillis(), max.toMillis(), expected);
        return Duration.ofMillis(millis);
    }

    long size(String key, long fallback, long min, long max) {
        String expected = "a size " + Quantity.text(min) + ".." + Quantity.text(max) + ", with unit B, KiB, MiB or GiB";
        return quantity(key, fallback, Quantity::bytes, min, max, expected);
    }

    /**
     * Reads a size, or {@code auto}.
     *
     * @param auto the value for {@code auto} and for an absent key
     * @param why the reason for the limits, for messages
     */
    long sizeOrAuto(String key, long auto, long min, long max, String why) {
        String expected = "auto or a size " + Quantity.text(min) + ".." + Quantity.text(max)
                + ", with unit B, KiB, MiB or GiB; " + why;
        return automatic(key) ? auto : quantity(key, auto, Quantity::bytes, min, max, expected);
    }

    /** Reads an integer, or {@code auto}; see {@link #sizeOrAuto}. */
    int integerOrAuto(String key, int auto, int min, int max, String why) {
        String expected = "auto or a whole number " + min + ".." + max + (why.isEmpty() ? "" : "; " + why);
        return automatic(key) ? auto : Math.toIntExact(quantity(key, auto, Section::wholeNumber, min, max, expected));
    }

    /** Reads a percentage such as {@code 0.1%} as a fraction, 0 to 1. */
    double share(String key, double fallback) {
        String expected = "a percentage 0%..100%, such as 0.1%";
        String text = scalar(key, expected);
        if (text == null) {
            return fallback;
        }
        OptionalDouble share = Quantity.share(text);
        if (share.isEmpty()) {
            mistake(key, found(text), expected);
        }
        return share.orElse(fallback);
    }

    /** Whether a key is {@code auto} or absent. */
    boolean automatic(String key) {
        known.add(key);
        YamlNode.YamlEntry entry = entries.get(key);
        return entry == null
                || entry.value() instanceof YamlNode.Scalar scalar
                        && scalar.text().equals("auto");
    }

    /** Reads a value of an enum, in lower case. */
    <E extends Enum<E>> E choice(String key, E fallback, Class<E> type) {
        StringBuilder expected = new StringBuilder();
        for (E value : type.getEnumConstants()) {
            expected.append(expected.isEmpty() ? "" : " or ")
                    .append(value.name().toLowerCase(Locale.ROOT));
        }
        String text = scalar(key, expected.toString());
        if (text == null) {
            return fallback;
        }
        for (E value : type.getEnumConstants()) {
            if (value.name().toLowerCase(Locale.ROOT).equals(text)) {
                return value;
            }
        }
        mistake(key, found(text), expected.toString());
        return fallback;
    }

    /**
     * Reads a list of texts.
     *
     * @param expected describes the list's values in messages
     * @param item parses one value; empty for a wrong one, which is reported at its own position
     */
    <T> List<T> list(String key, List<T> fallback, String expected, Function<String, Optional<T>> item) {
        YamlNode node = take(key);
        if (node == null) {
            return fallback;
        }
        if (!(node instanceof YamlNode.Sequence sequence)) {
            mistake(key, node.found(), "a list of " + expected);
            return fallback;
        }
        List<T> values = new ArrayList<>();
        for (YamlNode each : sequence.items()) {
            Optional<T> value = each instanceof YamlNode.Scalar scalar ? item.apply(scalar.text()) : Optional.empty();
            value.ifPresent(values::add);
            if (value.isEmpty() && !(each instanceof YamlNode.Unreadable)) {
                mistake(each.line(), each.column(), key, each.found() + " (expected: " + expected + ")");
            }
        }
        return values;
    }

    /** Reads a list of groups with {@code reader}; empty if the key is absent or has no value. */
    <T> List<T> groups(String key, Function<Section, T> reader) {
        YamlNode node = take(key);
        if (node == null
                || node instanceof YamlNode.Scalar scalar && scalar.text().isEmpty()) {
            return List.of();
        }
        if (!(node instanceof YamlNode.Sequence sequence)) {
            mistake(key, node.found(), "a list of groups of keys");
            return List.of();
        }
        List<T> values = new ArrayList<>();
        for (YamlNode each : sequence.items()) {
            if (each instanceof YamlNode.Mapping mapping) {
                Section section = new Section(mistakes, path(key) + "[" + (values.size() + 1) + "]", mapping.entries());
                values.add(reader.apply(section));
                section.end();
            } else if (!(each instanceof YamlNode.Unreadable)) {
                mistake(each.line(), each.column(), key, each.found() + " (expected: a group of keys)");
            }
        }
        return values;
    }

    /** Reports a key that must not be in the file. The value is not shown. */
    void forbid(String key, String why) {
        YamlNode.YamlEntry entry = entries.get(key);
        if (entry != null) {
            forbidden.add(key);
            mistake(entry.line(), entry.column(), key, why);
        }
    }

    boolean has(String key) {
        return entries.containsKey(key);
    }

    /** Whether a key is not in the group. False if it may be in a part of the file that could not be read. */
    boolean lacks(String key) {
        return !has(key) && !mistakes.isCutShort();
    }

    /** Whether no mistake has been found in a key's value so far. */
    boolean sound(String key) {
        return !wrong.contains(key);
    }

    /** Reports a mistake in a key's value, at the value's position, or for the whole file if the key is absent. */
    void mistake(String key, String found, String expected) {
        YamlNode.YamlEntry entry = entries.get(key);
        int line = entry == null ? 0 : entry.value().line();
        int column = entry == null ? 0 : entry.value().column();
        mistake(line, column, key, found + " (expected: " + expected + ")");
    }

    /** Reports a mistake in a key that is present, not in its value. */
    void mistakenKey(String key, String problem) {
        YamlNode.YamlEntry entry = Objects.requireNonNull(entries.get(key));
        mistake(entry.line(), entry.column(), key, problem);
    }

    private void mistake(int line, int column, String key, String problem) {
        wrong.add(key);
        mistakes.add(line, column, path(key), problem);
    }

    /** Returns the line of a key that is present. */
    int line(String key) {
        return Objects.requireNonNull(entries.get(key)).line();
    }

    /** Reports all keys that no method has read. */
    void end() {
        for (String key : entries.keySet()) {
            if (!known.contains(key) && !forbidden.contains(key)) {
                String suggestion = EditDistance.nearest(key, known)
                        .map(near -> ", did you mean " + near + "?")
                        .orElse("");
                mistakenKey(key, "unknown key" + suggestion + " (expected: " + String.join(", ", known) + ")");
            }
        }
    }

    private long quantity(
            String key, long fallback, Function<String, OptionalLong> reader, long min, long max, String expected) {
        String text = scalar(key, expected);
        if (text == null) {
            return fallback;
        }
        OptionalLong value = reader.apply(text);
        if (value.isEmpty() || value.getAsLong() < min || value.getAsLong() > max) {
            mistake(key, found(text), expected);
            return fallback;
        }
        return value.getAsLong();
    }

    private static OptionalLong wholeNumber(String text) {
        String digits = text.replace("_", "");
        if (digits.isEmpty() || digits.length() > 18 || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(Long.parseLong(digits));
    }

    /** Returns a key's text; null if it is absent or not a text. */
    private @Nullable String scalar(String key, String expected) {
        YamlNode node = take(key);
        if (node == null) {
            return null;
        }
        if (node instanceof YamlNode.Scalar scalar) {
            return scalar.text();
        }
        mistake(key, node.found(), expected);
        return null;
    }

    private @Nullable YamlNode take(String key) {
        known.add(key);
        YamlNode.YamlEntry entry = entries.get(key);
        if (entry == null) {
            return null;
        }
        if (entry.value() instanceof YamlNode.Unreadable) {
            wrong.add(key);
            return null;
        }
        return entry.value();
    }

    private String path(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    private static String found(String text) {
        return text.isEmpty() ? "nothing" : "'" + text + "'";
    }
}
