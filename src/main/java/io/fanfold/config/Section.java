package io.fanfold.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One group of keys being read: each method takes a key, its default and its range, and gives the value or throws
 * {@link ConfigException}. {@link #end()} refuses keys that nobody asked for. Not thread-safe.
 */
final class Section {
    /** Names with letters of any script, addresses of both versions, and the zone of a link-local one. */
    private static final Pattern HOST =
            Pattern.compile("[\\p{L}\\p{N}][\\p{L}\\p{N}._-]*|(?=.*:.*:)[0-9A-Fa-f:.]+(%[A-Za-z0-9._-]+)?");

    private final String file;
    private final String path;
    private final Map<String, YamlNode.Entry> entries;
    private final Set<String> known = new LinkedHashSet<>();

    private Section(String file, String path, Map<String, YamlNode.Entry> entries) {
        this.file = file;
        this.path = path;
        this.entries = entries;
    }

    /** The outermost group. */
    static Section root(String file, YamlNode node) {
        if (node instanceof YamlNode.Mapping mapping) {
            return new Section(file, "", mapping.entries());
        }
        throw new ConfigException(file, node.line(), node.column(), "", node.found() + " (expected: groups of keys)");
    }

    /** Reads a group with {@code reader}; an absent or empty group leaves every default as it is. */
    <T> T group(String key, Function<Section, T> reader) {
        YamlNode node = take(key);
        Map<String, YamlNode.Entry> inner = Map.of();
        if (node instanceof YamlNode.Mapping mapping) {
            inner = mapping.entries();
        } else if (node != null
                && !(node instanceof YamlNode.Scalar scalar && scalar.text().isEmpty())) {
            throw error(key, node.found(), "a group of keys");
        }
        Section section = new Section(file, path(key), inner);
        T value = reader.apply(section);
        section.end();
        return value;
    }

    String text(String key, String fallback, boolean mayBeEmpty) {
        String text = scalar(key, "a text");
        if (text == null) {
            return fallback;
        }
        if (text.isEmpty() && !mayBeEmpty) {
            throw error(key, "nothing", "a text");
        }
        return text;
    }

    /** A name or an address of either version; what names it may stand for is not looked up. */
    String host(String key, String fallback) {
        String text = text(key, fallback, false);
        if (!HOST.matcher(text).matches()) {
            throw error(key, found(text), "a host name or an address, without port, blanks or brackets");
        }
        return text;
    }

    /** The text of a key that has no default; null when it is absent. */
    @Nullable
    String optionalText(String key) {
        known.add(key);
        return has(key) ? text(key, "", false) : null;
    }

    boolean flag(String key, boolean fallback) {
        String text = scalar(key, "true or false");
        if (text == null) {
            return fallback;
        }
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw error(key, found(text), "true or false");
        };
    }

    int integer(String key, int fallback, int min, int max) {
        return Math.toIntExact(number(key, fallback, min, max));
    }

    long number(String key, long fallback, long min, long max) {
        String expected = "a whole number " + (max == Long.MAX_VALUE ? ">= " + min : min + ".." + max);
        String text = scalar(key, expected);
        if (text == null) {
            return fallback;
        }
        return inRange(key, text, wholeNumber(text), min, max, expected);
    }

    Duration duration(String key, Duration fallback, Duration min, Duration max) {
        String expected = "a duration " + Quantity.text(min) + ".." + Quantity.text(max) + ", with unit ms, s, m or h";
        String text = scalar(key, expected);
        if (text == null) {
            return fallback;
        }
        return Duration.ofMillis(inRange(key, text, Quantity.millis(text), min.toMillis(), max.toMillis(), expected));
    }

    long size(String key, long fallback, long min, long max) {
        String expected = "a size " + Quantity.text(min) + ".." + Quantity.text(max) + ", with unit B, KiB, MiB or GiB";
        String text = scalar(key, expected);
        if (text == null) {
            return fallback;
        }
        return inRange(key, text, Quantity.bytes(text), min, max, expected);
    }

    /**
     * A size, or {@code auto}.
     *
     * @param auto what stands for {@code auto} and for an absent key
     * @param why what bounds it, for messages
     */
    long sizeOrAuto(String key, long auto, long min, long max, String why) {
        return automatic(key)
                ? auto
                : inRange(
                        key,
                        Quantity::bytes,
                        min,
                        max,
                        "auto or a size " + Quantity.text(min) + ".." + Quantity.text(max)
                                + ", with unit B, KiB, MiB or GiB; " + why);
    }

    /** A whole number, or {@code auto}; see {@link #sizeOrAuto}. */
    int integerOrAuto(String key, int auto, int min, int max, String why) {
        return automatic(key)
                ? auto
                : Math.toIntExact(inRange(
                        key,
                        Section::wholeNumber,
                        min,
                        max,
                        "auto or a whole number " + min + ".." + max + "; " + why));
    }

    private boolean automatic(String key) {
        known.add(key);
        YamlNode.Entry entry = entries.get(key);
        return entry == null
                || entry.value() instanceof YamlNode.Scalar scalar
                        && scalar.text().equals("auto");
    }

    /** One of an enum's values, written in lower case. */
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
        throw error(key, found(text), expected.toString());
    }

    /**
     * A list of texts.
     *
     * @param expected how messages name what the list holds
     * @param item reads one of them; empty for one that is wrong, which is named by its own place
     */
    <T> List<T> list(String key, List<T> fallback, String expected, Function<String, Optional<T>> item) {
        YamlNode node = take(key);
        if (node == null) {
            return fallback;
        }
        if (!(node instanceof YamlNode.Sequence sequence)) {
            throw error(key, node.found(), "a list of " + expected);
        }
        List<T> values = new ArrayList<>();
        for (YamlNode each : sequence.items()) {
            Optional<T> value = each instanceof YamlNode.Scalar scalar ? item.apply(scalar.text()) : Optional.empty();
            values.add(value.orElseThrow(() -> error(each, key, each.found(), expected)));
        }
        return values;
    }

    /** Refuses a key that must not stand in the file. The value is not shown. */
    void forbid(String key, String why) {
        YamlNode.Entry entry = entries.get(key);
        if (entry != null) {
            throw new ConfigException(file, entry.line(), entry.column(), path(key), why);
        }
    }

    boolean has(String key) {
        return entries.containsKey(key);
    }

    /** A problem with a key's value, placed at the value, or at the top when the key is absent. */
    ConfigException error(String key, String found, String expected) {
        YamlNode.Entry entry = entries.get(key);
        return error(entry == null ? null : entry.value(), key, found, expected);
    }

    private ConfigException error(@Nullable YamlNode at, String key, String found, String expected) {
        int line = at == null ? 0 : at.line();
        int column = at == null ? 0 : at.column();
        return new ConfigException(file, line, column, path(key), found + " (expected: " + expected + ")");
    }

    /** Refuses the first key that no method was asked for. */
    void end() {
        entries.forEach((key, entry) -> {
            if (!known.contains(key)) {
                throw new ConfigException(
                        file,
                        entry.line(),
                        entry.column(),
                        path(key),
                        "unknown key (expected: " + String.join(", ", known) + ")");
            }
        });
    }

    /** The value of a key that is there. */
    private long inRange(String key, Function<String, OptionalLong> reader, long min, long max, String expected) {
        String text = scalar(key, expected);
        return inRange(key, String.valueOf(text), reader.apply(String.valueOf(text)), min, max, expected);
    }

    private long inRange(String key, String text, OptionalLong value, long min, long max, String expected) {
        if (value.isEmpty() || value.getAsLong() < min || value.getAsLong() > max) {
            throw error(key, found(text), expected);
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

    private @Nullable String scalar(String key, String expected) {
        YamlNode node = take(key);
        if (node == null) {
            return null;
        }
        if (node instanceof YamlNode.Scalar scalar) {
            return scalar.text();
        }
        throw error(key, node.found(), expected);
    }

    private @Nullable YamlNode take(String key) {
        known.add(key);
        YamlNode.Entry entry = entries.get(key);
        return entry == null ? null : entry.value();
    }

    private String path(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    private static String found(String text) {
        return text.isEmpty() ? "nothing" : "'" + text + "'";
    }
}
