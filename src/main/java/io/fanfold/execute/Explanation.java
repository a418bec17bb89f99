package io.fanfold.execute;

import io.fanfold.catalog.KeyColumn;
import io.fanfold.config.FanOutConfig.Mode;
import io.fanfold.plan.CostGate;
import io.fanfold.plan.KeyRange;
import io.fanfold.plan.Part;
import io.fanfold.plan.PlanPrinter;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.status.Json;
import io.fanfold.status.StatusTable;
import io.fanfold.status.StatusTable.StatusColumn;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What {@code EXPLAIN FORMAT=FANFOLD} shows: facts with their names, in order. A fact is a text, a number, or a list or map
 * of facts. Programs get all of them as JSON, people get rows of two texts with the same facts in sentences. For one
 * thread.
 */
final class Explanation {
    /** Longer lists are cut in rows for people. */
    private static final int SHOWN = 20;

    private final List<List<@Nullable Object>> rows = new ArrayList<>();
    private final Map<String, Object> facts = new LinkedHashMap<>();

    /** Explains a statement that is passed through. */
    static Explanation refused(Reason reason, String detail) {
        Explanation explanation = new Explanation();
        explanation.fact("decision", "passed through");
        explanation.fact("reason", reason.label());
        explanation.fact("because", reason.sentence());
        if (!detail.isEmpty()) {
            explanation.fact("found", detail);
        }
        return explanation;
    }

    /**
     * Explains a statement that is split.
     *
     * @param history the times of earlier executions
     */
    static Explanation split(PlannedScan planned, String digest, ExecutionHistory history) {
        Explanation explanation = new Explanation();
        FanOutTask task = planned.task();
        explanation.fact("decision", "split");
        if (task.mode() == Mode.OBSERVE) {
            explanation.fact("mode", "observe: executions are passed through");
        }
        if (task.replica().isPresent()) {
            explanation.fact("server", planned.server());
        }
        explanation.fact("workers", planned.degree());
        explanation.fact("snapshot", planned.snapshot());
        List<List<Part>> queries = new ArrayList<>();
        for (int i = 0; i < task.blocks().size(); i++) {
            queries.add(task.blocks().get(i).queries(planned.plan().blocks().get(i), planned.degree()));
        }
        explanation.partitions(task.blocks(), queries);
        explanation.fact("estimated rows", CostGate.total(task.explained()));
        explanation.row("work", "about " + shown(task.scanNanos()) + " for one worker");
        explanation.facts.put("work_ms", millis(task.scanNanos()));
        explanation.known("earlier split", history.splitNanos(digest));
        explanation.known("earlier direct", history.directNanos(digest));
        List<String> plan = PlanPrinter.print(
                planned.plan(), queries.stream().map(parts -> parts.get(0)).toList());
        explanation.plan(
                task.spider().isEmpty()
                        ? plan
                        : plan.stream().map(SpiderTable::pushedDown).toList());
        return explanation;
    }

    /**
     * Adds that the next execution is not split, because its time decides about later ones.
     *
     * @param doubt why a split may be slower than it seems; then it is tried only for a statement that takes long
     */
    void measuredFirst(Optional<Refusal> doubt) {
        fact("next execution", "passed through, to measure the time without a split");
        doubt.ifPresent(why -> fact(
                "doubt",
                why.reason().sentence() + ": " + why.detail() + "; a split is tried if the statement takes "
                        + shown(SplitCost.WORTH_A_TRY_NANOS) + " or more without"));
    }

    /**
     * Adds how many partition queries are not run, because their rows are known.
     *
     * @param queries those that have no keys of dynamic filters; ANALYZE shows all
     */
    void reuses(int queries) {
        fact("reused queries", queries);
    }

    /** Adds what running the statement has shown. */
    void ran(FanOutProgress progress, Phases phases, MeasuredClient answer) {
        FanOutProgress.SnapshotRounds snapshot = progress.snapshot();
        facts.put("snapshot_rounds", snapshot.rounds());
        facts.put("snapshot_ms", millis(snapshot.nanos()));
        row("snapshot rounds", snapshot.rounds() + " in " + shown(snapshot.nanos()));
        Map<String, Object> times = new LinkedHashMap<>();
        phases.all().forEach((phase, nanos) -> times.put(phase, millis(nanos)));
        facts.put("time_ms", times);
        long total = phases.all().values().stream().mapToLong(Long::longValue).sum();
        row(
                "time",
                shown(total) + ": "
                        + phases.all().entrySet().stream()
                                .map(phase -> phase.getKey() + " " + shown(phase.getValue()))
                                .collect(Collectors.joining(", ")));
        facts.put("rows", answer.rows());
        facts.put("bytes", answer.bytes());
        row("returned", answer.rows() + " rows, " + answer.bytes() + " bytes");
        queries(progress.parts());
    }

    private void queries(List<PartRun> runs) {
        List<Map<String, Object>> queries = new ArrayList<>();
        long now = System.nanoTime();
        for (PartRun run : runs) {
            Map<String, Object> query = new LinkedHashMap<>();
            query.put("block", run.block());
            query.put("partitions", run.part().names());
            run.part().range().ifPresent(range -> query.put("range", range.label()));
            query.put("worker", run.worker());
            query.put("rows", run.rows());
            query.put("bytes", run.bytes());
            query.put("ms", millis(run.nanos(now)));
            if (run.reused()) {
                query.put("reused_after_s", run.ageNanos(now) / 1_000_000_000);
            }
            queries.add(query);
            if (queries.size() <= SHOWN) {
                row(
                        "partition query",
                        names(run.part()) + ": " + run.rows() + " rows, " + run.bytes() + " bytes, "
                                + shown(run.nanos(now))
                                + (run.reused()
                                        ? ", reused, read " + shown(run.ageNanos(now)) + " ago"
                                        : ", connection " + run.worker()));
            }
        }
        if (runs.size() > SHOWN) {
            List<PartRun> further = runs.subList(SHOWN, runs.size());
            long rows = further.stream().mapToLong(PartRun::rows).sum();
            long bytes = further.stream().mapToLong(PartRun::bytes).sum();
            row("partition query", "and " + further.size() + " more: " + rows + " rows, " + bytes + " bytes");
        }
        facts.put("partition_queries", queries);
    }

    private void partitions(List<BlockPlanning> blocks, List<List<Part>> parts) {
        List<Map<String, Object>> tables = new ArrayList<>();
        for (int i = 0; i < blocks.size(); i++) {
            BlockPlanning block = blocks.get(i);
            Part all = Part.together(parts.get(i));
            String table = block.table().name().toString();
            int of = block.table().partitions().size();
            int queries = parts.get(i).size();
            if (!block.table().partitioned()) {
                ranges(table, parts.get(i)).ifPresent(tables::add);
                continue;
            }
            row(
                    "partitions",
                    all.names().size() + " of " + of + " of " + table + ", in " + queries + " queries: " + names(all));
            Map<String, Object> read = new LinkedHashMap<>();
            read.put("table", table);
            read.put("partitions", all.names());
            read.put("of", of);
            read.put("queries", queries);
            tables.add(read);
        }
        facts.put("tables", tables);
    }

    /** Explains parts that are ranges of a key; empty if they are not. */
    private Optional<Map<String, Object>> ranges(String table, List<Part> parts) {
        Optional<KeyColumn> key = parts.get(0).range().map(KeyRange::key);
        String columns = parts.stream()
                .flatMap(part -> part.range().stream())
                .map(KeyRange::columns)
                .max(Comparator.comparing(String::length))
                .orElse("");
        key.ifPresent(known -> row(
                "ranges",
                parts.size() + " of " + parts.size() + " of " + table + ", in " + parts.size() + " queries: " + columns
                        + " (index " + known.index() + ")"));
        return key.map(known -> {
            Map<String, Object> read = new LinkedHashMap<>();
            read.put("table", table);
            read.put("key", columns);
            read.put("index", known.index());
            read.put("queries", parts.size());
            return read;
        });
    }

    private void plan(List<String> lines) {
        List<Map<String, String>> steps = new ArrayList<>();
        for (String line : lines) {
            int colon = line.indexOf(": ");
            String step = line.substring(0, colon);
            String detail = line.substring(colon + 2);
            row(step, detail);
            Map<String, String> fact = new LinkedHashMap<>();
            fact.put("step", step);
            fact.put("detail", detail);
            steps.add(fact);
        }
        facts.put("plan", steps);
    }

    private void known(String name, long nanos) {
        if (nanos > 0) {
            time(name, nanos);
        }
    }

    private void time(String name, long nanos) {
        row(name, shown(nanos));
        facts.put(key(name) + "_ms", millis(nanos));
    }

    private void fact(String name, Object value) {
        row(name, value.toString());
        facts.put(key(name), value);
    }

    private void row(String step, String detail) {
        rows.add(List.of(step, detail));
    }

    private static String key(String name) {
        return name.replace(' ', '_');
    }

    private static String names(Part part) {
        List<String> names = Stream.concat(
                        part.names().stream(), part.range().stream().map(KeyRange::label))
                .toList();
        return names.stream().limit(SHOWN).collect(Collectors.joining(", ")) + (names.size() > SHOWN ? ", ..." : "");
    }

    private static double millis(long nanos) {
        return Math.round(nanos / 1e4) / 100.0;
    }

    private static String shown(long nanos) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
        return seconds >= 10
                ? String.format(Locale.ROOT, "%.1f s", nanos / 1e9)
                : String.format(Locale.ROOT, "%.2f ms", nanos / 1e6);
    }

    /** The facts as sentences, in order: columns step and detail. */
    StatusTable table() {
        return new StatusTable(List.of(StatusColumn.text("step"), StatusColumn.text("detail")), 0, List.copyOf(rows));
    }

    /** All facts as one JSON object, in one row. */
    StatusTable document() {
        return new StatusTable(List.of(StatusColumn.text("EXPLAIN")), 0, List.of(List.of(json())));
    }

    private String json() {
        return Json.of(facts);
    }
}
