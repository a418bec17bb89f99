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
import org.jspecify.annotations.Nullable;

/**
 * Reads YAML text into nodes that know their places. Refuses what a settings' file has no use for and what would make
 * places or meanings doubtful: duplicate keys, anchors, aliases, tags and further documents.
 */
final class YamlReader {
    /** Far deeper than any setting, far shallower than the stack. */
    private static final int MAX_DEPTH = 20;

    private final String file;

    YamlReader(String file) {
        this.file = file;
    }

    /**
     * @param text the whole file
     * @return the document; an empty mapping when the file holds nothing but comments
     * @throws ConfigException when the text is not YAML or holds something refused
     */
    YamlNode read(String text) {
        try (YAMLParser parser = new YAMLFactory().createParser(text)) {
            JsonToken token = parser.nextToken();
            if (token == null) {
                return new YamlNode.Mapping(1, 1, Map.of());
            }
            YamlNode root = node(parser, token, "", 0);
            if (parser.nextToken() != null) {
                throw error(parser.currentTokenLocation(), "", "a second document (expected: one document)");
            }
            return root;
        } catch (JsonProcessingException e) {
            throw error(
                    e.getLocation(),
                    "",
                    "not YAML: " + e.getOriginalMessage().lines().findFirst().orElse(""));
        } catch (IOException e) {
            throw new ConfigException(file, 0, 0, "", "cannot be read: " + e.getMessage());
        }
    }

    private YamlNode node(YAMLParser parser, JsonToken token, String path, int depth) throws IOException {
        JsonLocation at = parser.currentTokenLocation();
        if (parser.isCurrentAlias() || parser.getObjectId() != null) {
            throw error(at, path, "an anchor or alias (expected: the value itself)");
        }
        if (parser.getTypeId() != null) {
            throw error(at, path, "a tag (expected: a value without a tag)");
        }
        if (depth > MAX_DEPTH) {
            throw error(at, path, "values nested over " + MAX_DEPTH + " deep");
        }
        return switch (token) {
            case START_OBJECT -> mapping(parser, at, path, depth);
            case START_ARRAY -> sequence(parser, at, path, depth);
            case VALUE_NULL -> new YamlNode.Scalar(line(at), column(at), "");
            default -> new YamlNode.Scalar(line(at), column(at), parser.getText());
        };
    }

    private YamlNode sequence(YAMLParser parser, JsonLocation start, String path, int depth) throws IOException {
        List<YamlNode> items = new ArrayList<>();
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            items.add(node(parser, token, path, depth + 1));
        }
        return new YamlNode.Sequence(line(start), column(start), items);
    }

    private YamlNode mapping(YAMLParser parser, JsonLocation start, String path, int depth) throws IOException {
        Map<String, YamlNode.Entry> entries = new LinkedHashMap<>();
        for (JsonToken token = parser.nextToken(); token == JsonToken.FIELD_NAME; token = parser.nextToken()) {
            String key = parser.currentName();
            JsonLocation at = parser.currentTokenLocation();
            String keyPath = path.isEmpty() ? key : path + "." + key;
            YamlNode.Entry earlier = entries.get(key);
            if (earlier != null) {
                throw error(
                        at, keyPath, "the key stands here again (expected: once, as in line " + earlier.line() + ")");
            }
            YamlNode value = node(parser, parser.nextToken(), keyPath, depth + 1);
            entries.put(key, new YamlNode.Entry(line(at), column(at), value));
        }
        return new YamlNode.Mapping(line(start), column(start), entries);
    }

    private ConfigException error(@Nullable JsonLocation at, String path, String problem) {
        return new ConfigException(file, at == null ? 0 : line(at), at == null ? 0 : column(at), path, problem);
    }

    private static int line(JsonLocation at) {
        return Math.max(1, at.getLineNr());
    }

    private static int column(JsonLocation at) {
        return Math.max(1, at.getColumnNr());
    }
}
