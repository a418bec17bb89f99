package io.fanfold.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The table of alerts in {@code docs/operations.md} has the rules of {@code docker/prometheus/alerts.yml}. */
class AlertsTest {
    /** A row of the table: name, expression, duration, meaning, what to do. */
    private static final Pattern ROW = Pattern.compile(
            "^\\| `(Fanfold\\w+)` \\| `([^`]+)` \\|([^|]*)\\| ([^|]+) \\| (.+) \\|$", Pattern.MULTILINE);

    /**
     * An alert rule.
     *
     * @param duration how long the expression must hold; "" if once is enough
     */
    private record Rule(String name, String expression, String duration) {}

    @Test
    void thePageHasTheRules() throws IOException {
        JsonNode file = new ObjectMapper(new YAMLFactory())
                .readTree(Path.of("docker/prometheus/alerts.yml").toFile());
        List<Rule> rules = new ArrayList<>();
        for (JsonNode rule : file.path("groups").path(0).path("rules")) {
            rules.add(new Rule(
                    rule.path("alert").asText(),
                    rule.path("expr").asText(),
                    rule.path("for").asText("")));
        }
        assertThat(rules).hasSizeBetween(1, 10);
        List<Rule> shown = new ArrayList<>();
        Matcher row = ROW.matcher(Files.readString(Path.of("docs", "operations.md")));
        while (row.find()) {
            shown.add(new Rule(row.group(1), row.group(2), row.group(3).strip()));
        }
        assertThat(shown).isEqualTo(rules);
    }
}
