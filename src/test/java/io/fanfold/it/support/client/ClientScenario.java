package io.fanfold.it.support.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The steps of every client, from {@code src/test/clients/scenario.txt}, which describes its format. Immutable.
 *
 * @param steps in order
 */
public record ClientScenario(List<Step> steps) {
    public static final Path FOLDER = Path.of("src", "test", "clients");

    static final Path FILE = FOLDER.resolve("scenario.txt");

    private static final Pattern STEP = Pattern.compile("(\\w+)(!?)(?:/(\\d+))?(?: .*)?");

    public ClientScenario {
        steps = List.copyOf(steps);
    }

    /**
     * One step.
     *
     * @param line as the clients repeat it before their observations
     * @param fails whether the server answers with an error
     * @param partitions the number of partitions of its fan-out if it is sent as text; 0 if it is not fanned out
     */
    public record Step(String line, String verb, boolean fails, int partitions) {}

    /** Reads the scenario for that database. */
    public static ClientScenario read(String database) throws IOException {
        List<Step> steps = new ArrayList<>();
        for (String raw : Files.readAllLines(FILE, StandardCharsets.UTF_8)) {
            String line = raw.strip().replace("{db}", database);
            if (!line.isEmpty() && !line.startsWith("#")) {
                Matcher step = STEP.matcher(line);
                if (!step.matches()) {
                    throw new IOException("no step: " + line);
                }
                int partitions = step.group(3) == null ? 0 : Integer.parseInt(step.group(3));
                steps.add(new Step(line, step.group(1), !step.group(2).isEmpty(), partitions));
            }
        }
        return new ClientScenario(steps);
    }

    /**
     * Returns a pattern for the numbers of partitions of all fan-outs, each followed by a blank.
     *
     * @param asText verbs that the client sends as text; a prepared statement may be fanned out or not, and some
     *      clients execute it twice
     * @param skipped verbs that the client does not support
     */
    public Pattern fanOuts(Set<String> asText, Set<String> skipped) {
        StringBuilder expected = new StringBuilder();
        for (Step step : steps) {
            if (step.partitions > 0 && !skipped.contains(step.verb)) {
                expected.append('(').append(step.partitions).append(asText.contains(step.verb) ? " )" : " ){0,2}");
            }
        }
        return Pattern.compile(expected.toString());
    }
}
