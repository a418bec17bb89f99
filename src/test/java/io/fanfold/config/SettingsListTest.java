package io.fanfold.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class SettingsListTest {
    private static final Pattern LINE = Pattern.compile("( *)(?:# )?([a-z][a-z-]*):(?: ([^ #]*))?");

    /** The settings of the documented file: those with defaults, and those in comments, whose default is nothing. */
    private static Map<String, String> documented() throws IOException {
        Map<String, String> settings = new LinkedHashMap<>();
        String[] path = new String[3];
        for (String line : Files.readAllLines(Path.of("config/fanfold.yaml"))) {
            Matcher key = LINE.matcher(line);
            if (!key.matches()) {
                continue;
            }
            int depth = key.group(1).length() / 2;
            path[depth] = key.group(2);
            String value = key.group(3);
            if (value != null) {
                boolean set = !line.strip().startsWith("#");
                settings.put(String.join(".", java.util.Arrays.copyOf(path, depth + 1)), set ? value : "");
            }
        }
        settings.keySet()
                .removeIf(name -> name.startsWith("tables.")
                        || name.startsWith("accounts.")
                        || name.startsWith("workers.password-")
                        || name.startsWith("http.token-"));
        return settings;
    }

    @Test
    void hasEverySettingOfTheFileWithItsDefault() throws IOException {
        Map<String, String> listed = SettingsList.of(FanfoldConfig.defaults());
        Map<String, String> documented = documented();
        assertThat(listed.keySet()).containsExactlyInAnyOrderElementsOf(documented.keySet());
        documented.forEach((name, value) -> {
            String shown = value.replace("\"\"", "");
            if (Quantity.millis(shown).isPresent()) {
                assertThat(Quantity.millis(String.valueOf(listed.get(name))))
                        .as(name)
                        .isEqualTo(Quantity.millis(shown));
            } else if (!shown.equals("auto")) {
                assertThat(listed).containsEntry(name, shown);
            }
        });
    }
}
