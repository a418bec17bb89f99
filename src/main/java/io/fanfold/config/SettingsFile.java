package io.fanfold.config;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The settings file of a proxy, or none, under the options of its command line. For one thread at a time. */
public final class SettingsFile implements SettingsSource {
    /** Names the source of values that are not in the file, in messages. */
    private static final String SET = "SET FANFOLD";

    private final ConfigLoader loader;
    private final @Nullable Path file;
    private final UnaryOperator<FanfoldConfig> commandLine;
    private String text = "";

    /**
     * @param file null for none
     * @param commandLine puts the values of the command line in place of the file's
     */
    public SettingsFile(ConfigLoader loader, @Nullable Path file, UnaryOperator<FanfoldConfig> commandLine) {
        this.loader = loader;
        this.file = file;
        this.commandLine = commandLine;
    }

    @Override
    public ReadSettings readAnew() {
        String fresh = file == null ? "" : ConfigLoader.text(file);
        ReadSettings read = read(file == null ? "" : String.valueOf(file.getFileName()), fresh, Map.of());
        text = fresh;
        return read;
    }

    @Override
    public ReadSettings read(Map<String, Optional<String>> values) {
        return read(SET, text, values);
    }

    private ReadSettings read(String name, String yaml, Map<String, Optional<String>> values) {
        Mistakes mistakes = new Mistakes(name);
        YamlNode root = new YamlReader(mistakes).read(yaml);
        Set<String> names = new HashSet<>();
        names(names, "", root);
        for (Map.Entry<String, Optional<String>> value : values.entrySet()) {
            root = with(root, value.getKey(), value.getValue());
        }
        Path directory = file == null ? null : file.toAbsolutePath().getParent();
        FanfoldConfig config = loader.config(mistakes, root, directory);
        return ReadSettings.of(commandLine.apply(config), config, names, values);
    }

    private static void names(Set<String> names, String path, YamlNode node) {
        if (node instanceof YamlNode.Mapping mapping) {
            mapping.entries()
                    .forEach((key, entry) -> names(names, path.isEmpty() ? key : path + "." + key, entry.value()));
        } else {
            names.add(path);
        }
    }

    /** Returns a group of keys with another value for a key; empty removes the key. */
    private static YamlNode with(YamlNode group, String path, Optional<String> value) {
        Map<String, YamlNode.YamlEntry> entries = new LinkedHashMap<>();
        if (group instanceof YamlNode.Mapping mapping) {
            entries.putAll(mapping.entries());
        }
        int dot = path.indexOf('.');
        String key = dot < 0 ? path : path.substring(0, dot);
        YamlNode.YamlEntry known = entries.get(key);
        if (dot >= 0) {
            YamlNode inner = known == null ? new YamlNode.Mapping(0, 0, new HashMap<>()) : known.value();
            entries.put(key, entry(known, with(inner, path.substring(dot + 1), value)));
        } else if (value.isPresent()) {
            entries.put(key, entry(null, new YamlNode.Scalar(0, 0, value.get())));
        } else {
            entries.remove(key);
        }
        return new YamlNode.Mapping(group.line(), group.column(), entries);
    }

    private static YamlNode.YamlEntry entry(YamlNode.@Nullable YamlEntry known, YamlNode value) {
        return known == null
                ? new YamlNode.YamlEntry(0, 0, value)
                : new YamlNode.YamlEntry(known.line(), known.column(), value);
    }
}
