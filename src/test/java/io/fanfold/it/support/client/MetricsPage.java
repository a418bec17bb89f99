package io.fanfold.it.support.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The metrics of a proxy at one moment, read from its HTTP port with the parser of Prometheus' client library for Python
 * (Debian's python3-prometheus-client).
 *
 * @param samples the values by {@code name{label="value"}}, with the labels in the order of their names
 */
public record MetricsPage(Map<String, Double> samples) {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Path SCRIPT = ClientScenario.FOLDER.resolve("metrics.py");

    /** The interpreter for which Debian installs its packages; another one may come first in the path. */
    private static final String PYTHON = "/usr/bin/python3";

    /** The formats that a reader may ask for. */
    public enum PageFormat {
        TEXT("text/plain;version=0.0.4"),
        OPENMETRICS("application/openmetrics-text;version=1.0.0");

        private final String accept;

        PageFormat(String accept) {
            this.accept = accept;
        }
    }

    /** Reads the page in the text format. */
    public static MetricsPage of(int port) throws Exception {
        return of(port, PageFormat.TEXT);
    }

    public static MetricsPage of(int port, PageFormat format) throws Exception {
        ClientProgram.require("python3-prometheus-client", List.of(PYTHON, "-c", "import prometheus_client"));
        HttpResponse<String> response = CLIENT.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                        .header("Accept", format.accept)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("content-type").orElse(""))
                .startsWith(format.accept.substring(0, format.accept.indexOf(';')));
        Path page = Files.writeString(Files.createTempFile("metrics", ".txt"), response.body());
        try {
            Map<String, Double> samples = new LinkedHashMap<>();
            for (String line : ClientProgram.run(
                    "metrics",
                    List.of(
                            PYTHON,
                            SCRIPT.toString(),
                            format == PageFormat.TEXT ? "text" : "openmetrics",
                            page.toString()))) {
                String[] parts = line.split("\t", -1);
                Double before = samples.put(parts[0], Double.valueOf(parts[1]));
                assertThat(before).as("%s is there once", parts[0]).isNull();
            }
            return new MetricsPage(samples);
        } finally {
            Files.delete(page);
        }
    }

    /** Returns a value; fails if there is none. */
    public double value(String sample) {
        Double value = samples.get(sample);
        assertThat(value).as(sample).isNotNull();
        return value == null ? 0 : value;
    }

    /** Returns the sum of all values of a name. */
    public double sum(String name) {
        return samples.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(name + "{"))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }
}
