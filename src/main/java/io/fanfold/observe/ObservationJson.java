package io.fanfold.observe;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.fanfold.inspect.Finding;
import io.fanfold.observe.Explanation.ReadPartitions;
import io.fanfold.observe.Observation.ReasonShare;
import io.fanfold.observe.StatementGroups.Load;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;

/** An observation as one JSON object, for programs. Times are numbers of seconds. Samples, with their values, are not in it. */
public final class ObservationJson {
    private final StringWriter text = new StringWriter();
    private final JsonGenerator json;

    private ObservationJson() throws IOException {
        this.json = new JsonFactory().createGenerator(text);
        json.useDefaultPrettyPrinter();
    }

    /** Returns the object, without a line feed at its end. */
    public static String of(Observation observation) {
        try {
            ObservationJson writer = new ObservationJson();
            writer.write(observation);
            writer.json.close();
            return writer.text.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(Observation observation) throws IOException {
        Load load = observation.load();
        json.writeStartObject();
        json.writeStringField("source", observation.source());
        json.writeStringField("server", observation.server());
        json.writeNumberField("statements", load.executions());
        seconds("seconds", load.nanos());
        json.writeNumberField("selects", load.selectExecutions());
        seconds("selectSeconds", load.selectNanos());
        json.writeNumberField("splitStatements", observation.splitExecutions());
        seconds("splitSeconds", observation.splitNanos());
        seconds("expectedSavedSeconds", observation.savedNanos());
        json.writeArrayFieldStart("groups");
        for (Verdict verdict : observation.verdicts()) {
            write(verdict);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("reasons");
        for (ReasonShare reason : observation.reasons()) {
            write(reason);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("advice");
        for (Advice advice : observation.advice()) {
            json.writeStartObject();
            json.writeStringField("reason", advice.reason());
            seconds("seconds", advice.nanos());
            json.writeStringField("sentence", advice.sentence());
            texts("remedies", advice.remedies());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("findings");
        for (Finding finding : observation.findings()) {
            json.writeStartObject();
            json.writeStringField("severity", finding.severity().name().toLowerCase(Locale.ROOT));
            json.writeStringField("sentence", finding.sentence());
            texts("remedies", finding.remedies());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void write(Verdict verdict) throws IOException {
        StatementGroup group = verdict.group();
        json.writeStartObject();
        json.writeStringField("schema", group.schema());
        json.writeStringField("digest", group.digest());
        json.writeNumberField("executions", group.executions());
        seconds("seconds", group.nanos());
        json.writeStringField("decision", verdict.decision().name().toLowerCase(Locale.ROOT));
        if (verdict.split()) {
            json.writeNumberField(
                    "workers", verdict.explanation().map(Explanation::workers).orElse(0));
            json.writeArrayFieldStart("tables");
            for (ReadPartitions read :
                    verdict.explanation().map(Explanation::partitions).orElse(List.of())) {
                json.writeStartObject();
                json.writeStringField("table", read.table());
                json.writeNumberField("partitionsRead", read.read());
                json.writeNumberField("partitions", read.partitions());
                json.writeNumberField("queries", read.queries());
                json.writeEndObject();
            }
            json.writeEndArray();
        } else {
            json.writeStringField("reason", verdict.label());
            json.writeStringField("because", verdict.sentence());
            json.writeStringField("found", verdict.found());
        }
        seconds("expectedSeconds", verdict.expectedNanos());
        json.writeEndObject();
    }

    private void write(ReasonShare reason) throws IOException {
        json.writeStartObject();
        json.writeStringField("reason", reason.label());
        json.writeStringField("because", reason.sentence());
        json.writeNumberField("groups", reason.groups());
        json.writeNumberField("executions", reason.executions());
        seconds("seconds", reason.nanos());
        json.writeEndObject();
    }

    private void seconds(String name, long nanos) throws IOException {
        json.writeNumberField(name, nanos / 1e9);
    }

    private void texts(String name, List<String> texts) throws IOException {
        json.writeArrayFieldStart(name);
        for (String each : texts) {
            json.writeString(each);
        }
        json.writeEndArray();
    }
}
