package io.fanfold.config;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads YAML text into nodes with positions. Refuses YAML features that settings do not need and that make positions or
 * meanings unclear: duplicate keys, anchors, aliases, tags and multiple documents. Each is one mistake, and reading
 * continues after it. Text that is not YAML ends the reading; everything before it is read.
 */
final class YamlReader {
    /** Far deeper than any setting, far below the stack's limit. */
    private static final int MAX_DEPTH = 20;

    /** The position after each part of the YAML parser's messages. */
    private static final Pattern PLACE = Pattern.compile(" *in .*, line ([0-9]{1,9}), column ([0-9]{1,9}):?");

    private final Mistakes mistakes;

    YamlReader(Mistakes mistakes) {
        this.mistakes = mistakes;
    }

    /**
     * Reads a file.
     *
     * @param text the whole file
     * @return the document; an empty mapping if the file contains only comments
     */
    YamlNode read(String text) {
        try (YAMLParser parser = new YAMLFactory().createParser(text)) {
            Tokens tokens = new Tokens(parser, text);
            JsonToken token = tokens.next();
            if (token == null) {
                return new YamlNode.Mapping(1, 1, Map.of());
            }
            YamlNode root = node(tokens, token, "", 0);
            if (tokens.next() != null) {
                add(parser.currentTokenLocation(), "", "a second document (expected: one document)");
            }
            return root;
        } catch (IOException e) {
            mistakes.add(0, 0, "", "cannot be read: " + e.getMessage());
            return new YamlNode.Mapping(1, 1, Map.of());
        }
    }

    /** The parser's tokens, up to the first text that is not YAML. */
    private final class Tokens {
        private final YAMLParser parser;
        private final String text;

        Tokens(YAMLParser parser, String text) {
            this.parser = parser;
            this.text = text;
        }

        /** Returns the next token; null at the end of the readable text. */
        @Nullable
        JsonToken next() throws IOException {
            if (mistakes.isCutShort()) {
                return null;
            }
            try {
                return parser.nextToken();
            } catch (JsonProcessingException e) {
                mistakes.cutShort();
                notYaml(e);
                return null;
            }
        }

        /**
         * Reports the exception. Its own position is that of the last token. Its message contains the position of the
         * text and, last, of the problem.
         */
        private void notYaml(JsonProcessingException e) {
            int line = e.getLocation() == null ? 0 : line(e.getLocation());
            int column = e.getLocation() == null ? 0 : column(e.getLocation());
            List<String> problem = new ArrayList<>();
            String before = "";
            for (String each : e.getOriginalMessage().lines().toList()) {
                Matcher place = PLACE.matcher(each);
                if (place.matches()) {
                    line = Integer.parseInt(place.group(1));
                    column = Integer.parseInt(place.group(2));
                    problem.add(before);
                }
                before = each;
            }
            String said = problem.isEmpty() ? before : String.join(", ", problem);
            mistakes.add(line, column, "", "not YAML: " + said + quotes(line));
        }

        /** Returns a hint about quotes if the line starts with *, which in YAML starts an alias. */
        private String quotes(int line) {
            String found = text.lines().skip(Math.max(0, line - 1)).findFirst().orElse("");
            return found.stripLeading().startsWith("*")
                    ? " (expected: a pattern that begins with * in quotation marks, such as \"*.*\")"
                    : "";
        }

        /** Skips the contents of a mapping or list. */
        void skipInside(JsonToken start) throws IOException {
            int open = start.isStructStart() ? 1 : 0;
            while (open > 0) {
                JsonToken token = next();
                if (token == null) {
                    return;
                }
                open += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            }
        }
    }

    private YamlNode node(Tokens tokens, @Nullable JsonToken token, String path, int depth) throws IOException {
        YAMLParser parser = tokens.parser;
        JsonLocation at = parser.currentTokenLocation();
        if (token == null) {
            return new YamlNode.Unreadable(line(at), column(at));
        }
        String problem = null;
        if (parser.isCurrentAlias() || parser.getObjectId() != null) {
            problem = "an anchor or alias (expected: the value itself)";
        } else if (parser.getTypeId() != null) {
            problem = "a tag (expected: a value without a tag)";
        } else if (depth > MAX_DEPTH) {
            problem = "nested too deep (expected: at most " + MAX_DEPTH + " levels)";
        }
        if (problem != null) {
            add(at, path, problem);
            tokens.skipInside(token);
            return new YamlNode.Unreadable(line(at), column(at));
        }
        return switch (token) {
            case START_OBJECT -> mapping(tokens, at, path, depth);
            case START_ARRAY -> sequence(tokens, at, path, depth);
            case VALUE_NULL -> new YamlNode.Scalar(line(at), column(at), "");
            default -> new YamlNode.Scalar(line(at), column(at), parser.getText());
        };
    }

    private YamlNode sequence(Tokens tokens, JsonLocation start, String path, int depth) throws IOException {
        List<YamlNode> items = new ArrayList<>();
        for (JsonToken token = tokens.next(); token != null && token != JsonToken.END_ARRAY; token = tokens.next()) {
            items.add(node(tokens, token, path, depth + 1));
        }
        return new YamlNode.Sequence(line(start), column(start), items);
    }

    private YamlNode mapping(Tokens tokens, JsonLocation start, String path, int depth) throws IOException {
        YAMLParser parser = tokens.parser;
        Map<String, YamlNode.YamlEntry> entries = new LinkedHashMap<>();
        for (JsonToken token = tokens.next(); token == JsonToken.FIELD_NAME; token = tokens.next()) {
            String key = parser.currentName();
            JsonLocation at = parser.currentTokenLocation();
            String keyPath = path.isEmpty() ? key : path + "." + key;
            YamlNode.YamlEntry earlier = entries.get(key);
            if (earlier != null) {
                add(at, keyPath, "duplicate key (expected: once; the other one is in line " + earlier.line() + ")");
            }
            YamlNode value = node(tokens, tokens.next(), keyPath, depth + 1);
            entries.putIfAbsent(key, new YamlNode.YamlEntry(line(at), column(at), value));
        }
        return new YamlNode.Mapping(line(start), column(start), entries);
    }

    private void add(@Nullable JsonLocation at, String path, String problem) {
        mistakes.add(at == null ? 0 : line(at), at == null ? 0 : column(at), path, problem);
    }

    private static int line(JsonLocation at) {
        return Math.max(1, at.getLineNr());
    }

    private static int column(JsonLocation at) {
        return Math.max(1, at.getColumnNr());
    }
}
