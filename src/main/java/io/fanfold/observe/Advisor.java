package io.fanfold.observe;

import io.fanfold.catalog.CreateTableFacts.NameKind;
import io.fanfold.catalog.TableName;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.inspect.TableRemedies;
import io.fanfold.observe.Explanation.ReadPartitions;
import io.fanfold.observe.SampleTables.SampleTable;
import io.fanfold.reason.Reason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Says for reasons what a DBA could change: tables and settings. What the server and the worker account lack, the
 * inspection says; how to write a statement, the documentation does. For one thread.
 */
final class Advisor {
    /** The most tables that are named for one reason. */
    private static final int MOST_TABLES = 5;

    /** Settings that let more statements with a reason be split. */
    private static final Map<Reason, String> SETTINGS = Map.of(
            Reason.APPROXIMATE, "set fan-out.approximate: allow, if the last digits may differ",
            Reason.TABLE_DISABLED, "remove mode: off for the table in tables",
            Reason.TOO_LONG, "raise limits.statement-size, or put long lists into a table and join it",
            Reason.MEMORY, "raise limits.query-memory and limits.total-memory",
            Reason.POOL_BUSY, "raise workers.connections");

    private final FanfoldConfig config;
    private final GainModel model;
    private final SampleTables tables;

    /** The statements that name a table. */
    private record Use(long nanos, long savedNanos) {
        Use plus(Use other) {
            return new Use(nanos + other.nanos, savedNanos + other.savedNanos);
        }
    }

    Advisor(FanfoldConfig config, GainModel model, SampleTables tables) {
        this.config = config;
        this.model = model;
        this.tables = tables;
    }

    /** Returns advice in the order of the time that it concerns. */
    List<Advice> advise(List<Verdict> verdicts) throws IOException {
        List<Advice> advice = new ArrayList<>(unseen(of(verdicts, Reason.NO_PARTITIONED_TABLE)));
        advice.addAll(unpartitioned(Reason.NO_PARTITIONED_TABLE, "is not partitioned", verdicts));
        advice.addAll(unpartitioned(
                Reason.KEY_RANGE, "is not partitioned, and cannot be divided by ranges of a key", verdicts));
        advice.addAll(otherEngines(of(verdicts, Reason.ENGINE)));
        advice.addAll(fewRows(of(verdicts, Reason.FEW_ROWS)));
        advice.addAll(prunedToOne(of(verdicts, Reason.FEW_PARTITIONS)));
        advice.addAll(fewPartitions(verdicts));
        SETTINGS.forEach((reason, remedy) -> {
            long nanos = nanos(of(verdicts, reason));
            if (nanos > 0) {
                advice.add(new Advice(reason.label(), nanos, reason.sentence(), List.of(remedy)));
            }
        });
        advice.sort(Comparator.comparingLong(Advice::nanos).reversed());
        return advice;
    }

    private static List<Verdict> of(List<Verdict> verdicts, Reason reason) {
        return verdicts.stream()
                .filter(verdict -> verdict.label().equals(reason.label()))
                .toList();
    }

    private static long nanos(List<Verdict> verdicts) {
        return verdicts.stream().mapToLong(verdict -> verdict.group().nanos()).sum();
    }

    /** What all executions of a group would save with a partition for each worker, by the model. */
    private long savedNanos(StatementGroup group) {
        int degree = config.fanOut().degree();
        long expected =
                model.expectedNanos(group.meanNanos(), degree, List.of(new ReadPartitions("", degree, degree, degree)));
        return (group.meanNanos() - expected) * group.executions();
    }

    /** Returns the tables of statements that would gain from a split, those with the largest gain first. */
    private List<Map.Entry<TableName, Use>> uses(List<Verdict> verdicts) {
        Map<TableName, Use> uses = new LinkedHashMap<>();
        for (Verdict verdict : verdicts) {
            Use use = new Use(verdict.group().nanos(), savedNanos(verdict.group()));
            if (use.savedNanos() > 0) {
                tables.names(verdict.group()).forEach(name -> uses.merge(name, use, Use::plus));
            }
        }
        return uses.entrySet().stream()
                .sorted(Comparator.comparingLong(entry -> -entry.getValue().savedNanos()))
                .toList();
    }

    /** The catalog names the schema and the right that may be missing. */
    private List<Advice> unseen(List<Verdict> verdicts) {
        return verdicts.stream()
                .filter(verdict -> !verdict.found().isEmpty() && savedNanos(verdict.group()) > 0)
                .limit(1)
                .map(verdict -> new Advice(
                        Reason.NO_PARTITIONED_TABLE.label(), verdict.group().nanos(), verdict.found(), List.of()))
                .toList();
    }

    /** @param problem what the tables of statements with this reason lack, as a predicate */
    private List<Advice> unpartitioned(Reason reason, String problem, List<Verdict> all) throws IOException {
        List<Advice> advice = new ArrayList<>();
        for (Map.Entry<TableName, Use> entry : uses(of(all, reason))) {
            Optional<SampleTable> table = tables.table(entry.getKey());
            if (table.isPresent() && advice.size() < MOST_TABLES) {
                unpartitioned(reason, entry.getKey() + " " + problem, entry.getKey(), table.get(), entry.getValue())
                        .ifPresent(advice::add);
            }
        }
        return advice;
    }

    private Optional<Advice> unpartitioned(Reason reason, String problem, TableName name, SampleTable table, Use use) {
        if (table.facts().kind() != NameKind.BASE_TABLE || table.facts().partitioned()) {
            return Optional.empty();
        }
        String sentence = problem + "; statements on it take " + seconds(use.nanos())
                + ", and about " + seconds(use.savedNanos()) + " less with a partition for each of "
                + config.fanOut().degree() + " workers (model)";
        List<String> remedies = new ArrayList<>();
        if (table.foreignKeys()) {
            sentence += "; servers do not partition a table with foreign keys";
        } else {
            if (!table.facts().innoDb()) {
                remedies.add(TableRemedies.engine(name) + " " + TableRemedies.partition(name));
            } else {
                remedies.add(TableRemedies.partition(name));
            }
        }
        return Optional.of(new Advice(reason.label(), use.nanos(), sentence, remedies));
    }

    private List<Advice> otherEngines(List<Verdict> verdicts) throws IOException {
        List<Advice> advice = new ArrayList<>();
        for (Map.Entry<TableName, Use> entry : uses(verdicts)) {
            Optional<SampleTable> table = tables.table(entry.getKey());
            if (table.isPresent()
                    && table.get().facts().kind() == NameKind.BASE_TABLE
                    && !table.get().facts().innoDb()
                    // a Spider table is one to have its rows on other servers
                    && !table.get().facts().spider()
                    && advice.size() < MOST_TABLES) {
                advice.add(new Advice(
                        Reason.ENGINE.label(),
                        entry.getValue().nanos(),
                        entry.getKey() + " has the engine "
                                + table.get().facts().engine().orElse("unknown"),
                        List.of(TableRemedies.engine(entry.getKey()))));
            }
        }
        return advice;
    }

    /** Statements that take long although the server estimates few rows. */
    private List<Advice> fewRows(List<Verdict> verdicts) {
        List<Advice> advice = new ArrayList<>();
        uses(verdicts).stream()
                .limit(MOST_TABLES)
                .forEach(entry -> advice.add(new Advice(
                        Reason.FEW_ROWS.label(),
                        entry.getValue().nanos(),
                        "statements on " + entry.getKey()
                                + " take long enough for a split, but the server estimates fewer rows"
                                + " than min-rows",
                        List.of(
                                "ANALYZE TABLE " + entry.getKey().quoted() + ";",
                                "set a lower min-rows for tables." + entry.getKey() + " (fan-out.min-rows is "
                                        + config.fanOut().minRows() + ")"))));
        return advice;
    }

    private List<Advice> prunedToOne(List<Verdict> verdicts) {
        List<Advice> advice = new ArrayList<>();
        uses(verdicts).stream()
                .limit(MOST_TABLES)
                .forEach(entry -> advice.add(new Advice(
                        Reason.FEW_PARTITIONS.label(),
                        entry.getValue().nanos(),
                        "conditions of long statements leave one partition of " + entry.getKey(),
                        List.of("partition it more finely, or add subpartitions, so that they leave several"))));
        return advice;
    }

    /** Tables of split statements with fewer partitions than workers. */
    private List<Advice> fewPartitions(List<Verdict> verdicts) {
        int useful = model.parallel(config.fanOut().degree());
        Map<String, Long> times = new LinkedHashMap<>();
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (Verdict verdict : verdicts) {
            if (verdict.split()) {
                for (ReadPartitions read :
                        verdict.explanation().map(Explanation::partitions).orElse(List.of())) {
                    if (read.partitions() < useful) {
                        times.merge(read.table(), verdict.group().nanos(), Long::sum);
                        counts.put(read.table(), read.partitions());
                    }
                }
            }
        }
        return times.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(MOST_TABLES)
                .map(entry -> new Advice(
                        "split",
                        entry.getValue(),
                        entry.getKey() + " has " + counts.get(entry.getKey())
                                + " partitions; a statement that reads it cannot use " + useful + " workers",
                        List.of("partition it more finely")))
                .toList();
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%,.1f s", nanos / 1e9);
    }
}
