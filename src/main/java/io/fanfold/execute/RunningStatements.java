package io.fanfold.execute;

import io.fanfold.status.StatusSource;
import io.fanfold.status.StatusTable;
import io.fanfold.status.StatusTable.StatusColumn;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The running fan-outs as a status, and with each partition query, the oldest first. Safe for all threads. */
record RunningStatements(QueryRegistry registry) implements StatusSource {
    @Override
    public StatusTable read(Viewer viewer) {
        long now = System.nanoTime();
        List<List<@Nullable Object>> rows =
                running(viewer, now).map(query -> row(query, now)).toList();
        return new StatusTable(
                List.of(
                        StatusColumn.integer("ID"),
                        StatusColumn.text("USER"),
                        StatusColumn.text("DB"),
                        StatusColumn.decimal("TIME"),
                        StatusColumn.text("STATE"),
                        StatusColumn.integer("QUERIES"),
                        StatusColumn.integer("QUERIES_DONE"),
                        StatusColumn.integer("QUERIES_RUNNING"),
                        StatusColumn.integer("ROWS_READ"),
                        StatusColumn.integer("BYTES_READ"),
                        StatusColumn.text("INFO")),
                1,
                rows);
    }

    private static List<@Nullable Object> row(QueryExecution query, long now) {
        FanOutProgress progress = query.progress();
        FanOutProgress.RunningName name = progress.name();
        List<PartRun> parts = progress.parts();
        long running = parts.stream()
                .filter(part -> part.worker() != 0 && !part.done())
                .count();
        return List.of(
                query.backendThreadId(),
                name.user(),
                name.schema(),
                TimeUnit.NANOSECONDS.toMillis(now - name.arrivalNanos()) / 1e3,
                progress.state(),
                (long) progress.queries(),
                (long) progress.done(),
                running,
                parts.stream().mapToLong(PartRun::rows).sum(),
                parts.stream().mapToLong(PartRun::bytes).sum(),
                name.text());
    }

    private Stream<QueryExecution> running(Viewer viewer, long now) {
        return registry.all().stream()
                .filter(query -> viewer.sees(query.progress().name().user()))
                .sorted(Comparator.comparingLong(
                        query -> query.progress().name().arrivalNanos() - now));
    }

    /**
     * Returns each fan-out with its partition queries, for JSON: texts, numbers, lists and maps by the names of
     * operations.md.
     */
    List<Map<String, @Nullable Object>> details(Viewer viewer) {
        long now = System.nanoTime();
        return running(viewer, now).map(query -> details(query, now)).toList();
    }

    private static Map<String, @Nullable Object> details(QueryExecution query, long now) {
        FanOutProgress progress = query.progress();
        FanOutProgress.RunningName name = progress.name();
        List<PartRun> parts = progress.parts();
        Pace pace = Pace.of(parts, now);
        Map<String, @Nullable Object> details = new LinkedHashMap<>();
        details.put("id", query.backendThreadId());
        details.put("user", name.user());
        details.put("db", name.schema());
        details.put("time", seconds(now - name.arrivalNanos()));
        details.put("state", progress.state());
        details.put("queries", progress.queries());
        details.put("queries_done", progress.done());
        details.put("seconds_left", pace.secondsLeft(parts, progress.queries(), now));
        details.put("info", name.text());
        details.put("parts", parts.stream().map(part -> part(part, pace, now)).toList());
        return details;
    }

    private static Map<String, Object> part(PartRun part, Pace pace, long now) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("partitions", part.part().labels());
        shown.put("waiting", part.waits());
        shown.put("done", part.done());
        shown.put("seconds", seconds(part.nanos(now)));
        shown.put("share", Math.round(pace.share(part, now) * 100) / 100.0);
        shown.put("rows", part.rows());
        shown.put("bytes", part.bytes());
        shown.put("worker", part.worker());
        return shown;
    }

    private static double seconds(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos) / 1e3;
    }

    /**
     * How fast the partition queries are that have ended: the server says nothing about those that run.
     *
     * @param nanosARow the mean time for each estimated row; 0 while no query has ended
     */
    private record Pace(double nanosARow) {
        static Pace of(List<PartRun> parts, long now) {
            List<PartRun> done = parts.stream().filter(PartRun::done).toList();
            double nanos = done.stream().mapToLong(part -> part.nanos(now)).sum();
            return new Pace(
                    nanos / Math.max(1, done.stream().mapToLong(Pace::rows).sum()));
        }

        private static long rows(PartRun part) {
            return part.part().estimatedRows() + 1;
        }

        /** The part of a query that is probably done, from 0 to 1; a running query has at most 0.95. */
        double share(PartRun part, long now) {
            if (part.done()) {
                return 1;
            }
            return nanosARow == 0 ? 0 : Math.min(0.95, part.nanos(now) / (nanosARow * rows(part)));
        }

        /** The time until all queries have ended, if the workers keep their pace; null while that is not known. */
        @Nullable
        Double secondsLeft(List<PartRun> parts, int queries, long now) {
            long workers = parts.stream()
                    .filter(part -> part.worker() != 0 && !part.done())
                    .count();
            if (nanosARow == 0 || workers == 0 || parts.size() < queries) {
                return null;
            }
            double left = parts.stream()
                    .mapToDouble(part -> (1 - share(part, now)) * nanosARow * rows(part))
                    .sum();
            return Math.round(left / workers / 1e8) / 10.0;
        }
    }
}
