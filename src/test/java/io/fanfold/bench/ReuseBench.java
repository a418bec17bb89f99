package io.fanfold.bench;

import io.fanfold.bench.Target.Miss;
import io.fanfold.demo.AnswerComparison;
import io.fanfold.demo.DemoQuery;
import io.fanfold.demo.QueryComparison;
import io.fanfold.demo.SqlAnswer;
import io.fanfold.demo.SqlClient;
import io.fanfold.demo.SsbQueries;
import io.fanfold.demo.TextTable;
import io.fanfold.demo.TextTable.Heading;
import io.fanfold.metrics.FanOutReport;
import io.fanfold.row.Row;
import io.fanfold.server.RunningProxy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures statements through a proxy with reuse: the first execution, one after it, and one after a row has changed;
 * compared with the server itself and a proxy without reuse. Not thread-safe.
 */
final class ReuseBench {
    private static final long STREAM_WAIT_NANOS = 15_000_000_000L;
    private static final long STREAM_POLL_NANOS = 100_000_000L;

    private final int runs;
    private final boolean scaleOne;
    private final boolean partitionsLogged;
    private final TextTable table = new TextTable(
            Heading.left("query").atLeast(BenchStatement.LONGEST_NAME),
            Heading.right("direct s"),
            Heading.right("no reuse s"),
            Heading.right("first s"),
            Heading.right("again s"),
            Heading.right("changed s"),
            Heading.right("first/no reuse"),
            Heading.right("direct/again"),
            Heading.right("first/changed"),
            Heading.left("kept"));

    /**
     * Creates a measurement.
     *
     * @param runs of each statement, 1 or more
     * @param scaleOne whether there are at least as many rows as at scale 1
     * @param partitionsLogged whether the server's log names partitions, as MySQL's does
     */
    ReuseBench(int runs, boolean scaleOne, boolean partitionsLogged) {
        this.runs = runs;
        this.scaleOne = scaleOne;
        this.partitionsLogged = partitionsLogged;
    }

    /**
     * The open connections, each with the database chosen.
     *
     * @param direct to the server
     * @param without to a proxy without reuse
     * @param with to a proxy with reuse; the account may purge the kept rows
     * @param proxy the proxy with reuse
     */
    record Ways(SqlClient direct, SqlClient without, SqlClient with, RunningProxy proxy) {}

    /**
     * The medians of one statement.
     *
     * @param directNanos of the server itself
     * @param withoutNanos through the proxy without reuse
     * @param firstNanos through the proxy with reuse, which has kept nothing
     * @param againNanos the same statement again
     * @param changedNanos the same statement after a row has changed
     * @param kept the number of its partition queries whose rows are kept, or why the repeated execution was passed through
     * @param difference "" if all answers were those of the server, otherwise the first difference
     */
    record Reused(
            DemoQuery query,
            long directNanos,
            long withoutNanos,
            long firstNanos,
            long againNanos,
            long changedNanos,
            String kept,
            String difference) {}

    /**
     * Waits until the proxy reads the binary log.
     *
     * @return "" if it does, otherwise the cause
     */
    static String awaitStream(SqlClient with) throws IOException {
        long end = System.nanoTime() + STREAM_WAIT_NANOS;
        while (true) {
            Row state = with.query("SHOW FANFOLD REUSE").rows().get(0);
            if ("CONNECTED".equals(state.utf8(0))) {
                return "";
            }
            if (System.nanoTime() - end > 0) {
                return "the proxy does not read the binary log: " + state.utf8(2);
            }
            LockSupport.parkNanos(STREAM_POLL_NANOS);
        }
    }

    /** Runs all ways in turn, once without measuring. Each turn changes one row twice; then it is as it was. */
    Reused run(DemoQuery query, Ways ways) throws IOException {
        Change change = Change.of(ways.direct());
        Times direct = new Times(2 * runs);
        Times without = new Times(runs);
        Times first = new Times(runs);
        Times again = new Times(runs);
        Times changed = new Times(2 * runs);
        Comparison answers = new Comparison(query);
        String kept = "";
        for (int turn = -1; turn < runs; turn++) {
            SqlAnswer expected = direct.run(ways.direct(), query, turn);
            answers.compare(expected, without.run(ways.without(), query, turn));
            ways.with().execute("PURGE FANFOLD REUSE");
            answers.compare(expected, first.run(ways.with(), query, turn));
            answers.compare(expected, again.run(ways.with(), query, turn));
            kept = kept(ways);
            change.apply(ways.direct(), 1);
            try {
                SqlAnswer after = changed.run(ways.with(), query, turn);
                answers.compare(direct.run(ways.direct(), query, turn), after);
            } finally {
                change.apply(ways.direct(), -1);
            }
            answers.compare(expected, changed.run(ways.with(), query, turn));
        }
        return new Reused(
                query,
                direct.median(),
                without.median(),
                first.median(),
                again.median(),
                changed.median(),
                kept,
                answers.difference);
    }

    private static String kept(Ways ways) throws IOException {
        FanOutReport report = ways.proxy().lastFanOut();
        Row state = ways.with().query("SHOW FANFOLD REUSE").rows().get(0);
        return report.fannedOut() ? String.valueOf(state.utf8(4)) : "passed through: " + report.reason();
    }

    /** The times of one way; those of negative turns do not count. */
    private static final class Times {
        private final long[] nanos;
        private int count;

        Times(int most) {
            nanos = new long[most];
        }

        SqlAnswer run(SqlClient client, DemoQuery query, int turn) throws IOException {
            long start = System.nanoTime();
            SqlAnswer answer = client.query(query.sql());
            long took = System.nanoTime() - start;
            if (turn >= 0) {
                nanos[count++] = took;
            }
            // after this round trip a proxy has finished the statement
            client.ping();
            return answer;
        }

        long median() {
            return QueryComparison.median(nanos);
        }
    }

    private static final class Comparison {
        private final DemoQuery query;
        private String difference = "";

        Comparison(DemoQuery query) {
            this.query = query;
        }

        void compare(SqlAnswer expected, SqlAnswer actual) {
            if (difference.isEmpty()) {
                difference = AnswerComparison.difference(expected, actual, query.sortColumns());
            }
        }
    }

    /** A change of one row of one partition. */
    private record Change(String where) {
        static Change of(SqlClient direct) throws IOException {
            Row row = direct.query("SELECT LO_OrderDateKey, LO_OrderKey, LO_LineNumber FROM lineorder LIMIT 1")
                    .rows()
                    .get(0);
            return new Change(" WHERE LO_OrderDateKey = " + row.utf8(0) + " AND LO_OrderKey = " + row.utf8(1)
                    + " AND LO_LineNumber = " + row.utf8(2));
        }

        void apply(SqlClient direct, int more) throws IOException {
            direct.execute("UPDATE lineorder SET LO_Revenue = LO_Revenue + (" + more + ")" + where);
        }
    }

    /** The targets that were missed. */
    List<Miss> misses(List<Reused> all) {
        List<Miss> misses = new ArrayList<>();
        for (Reused one : all) {
            if (!one.difference().isEmpty()) {
                misses.add(new Miss(
                        one.query().name() + " (" + one.difference() + ")",
                        "answers unlike the server's",
                        1,
                        "at most",
                        0));
            }
        }
        Reused sum = sum(all);
        double slower = sum.firstNanos() - (double) Target.FIXED_COST_NANOS * all.size();
        if (slower > Target.FIRST_OF_NO_REUSE * sum.withoutNanos()) {
            misses.add(new Miss(
                    sum.query().name(),
                    "first/no reuse",
                    (double) sum.firstNanos() / sum.withoutNanos(),
                    "at most",
                    Target.FIRST_OF_NO_REUSE));
        }
        double timesDirect = (double) sum.directNanos() / sum.againNanos();
        if (scaleOne && timesDirect < Target.REUSE_TIMES_DIRECT) {
            misses.add(
                    new Miss(sum.query().name(), "direct/again", timesDirect, "at least", Target.REUSE_TIMES_DIRECT));
        }
        double timesFirst = (double) sum.firstNanos() / sum.changedNanos();
        if (scaleOne && partitionsLogged && timesFirst < Target.CHANGED_TIMES_FIRST) {
            misses.add(
                    new Miss(sum.query().name(), "first/changed", timesFirst, "at least", Target.CHANGED_TIMES_FIRST));
        }
        return misses;
    }

    /** The sums of all statements except plain rows, which Fanfold streams and does not keep. */
    static Reused sum(List<Reused> all) {
        Reused sum = new Reused(
                DemoQuery.unordered("sum without " + SsbQueries.SMALL_LINES.name(), ""), 0, 0, 0, 0, 0, "", "");
        for (Reused one : all) {
            if (!one.query().equals(SsbQueries.SMALL_LINES)) {
                sum = new Reused(
                        sum.query(),
                        sum.directNanos() + one.directNanos(),
                        sum.withoutNanos() + one.withoutNanos(),
                        sum.firstNanos() + one.firstNanos(),
                        sum.againNanos() + one.againNanos(),
                        sum.changedNanos() + one.changedNanos(),
                        "",
                        "");
            }
        }
        return sum;
    }

    /** The headings of the table, below a line with the server and the targets. */
    String head(String server) {
        return String.format(
                        Locale.ROOT,
                        "reuse on %s, medians of %d (targets of the sums: first/no reuse at most %.2f%s)%n"
                                + "its log names %s%n",
                        server,
                        runs,
                        Target.FIRST_OF_NO_REUSE,
                        scaleOne
                                ? String.format(Locale.ROOT, ", direct/again at least %.0f", Target.REUSE_TIMES_DIRECT)
                                        + (partitionsLogged
                                                ? String.format(
                                                        Locale.ROOT,
                                                        ", first/changed at least %.0f",
                                                        Target.CHANGED_TIMES_FIRST)
                                                : "")
                                : "; the others are judged at --scale 1 and above",
                        partitionsLogged
                                ? "partitions: a changed row is in one of 8"
                                : "no partitions: after a change, all are read again, and first/changed has no target")
                + table.head();
    }

    /** The line of one statement, or of the sums. */
    String line(Reused one) {
        return table.line(
                one.query().name(),
                seconds(one.directNanos()),
                seconds(one.withoutNanos()),
                seconds(one.firstNanos()),
                seconds(one.againNanos()),
                seconds(one.changedNanos()),
                ratio(one.firstNanos(), one.withoutNanos()),
                ratio(one.directNanos(), one.againNanos()),
                ratio(one.firstNanos(), one.changedNanos()),
                one.difference().isEmpty() ? one.kept() : "DIFFERENT: " + one.difference());
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / 1e9);
    }

    private static String ratio(long nanos, long other) {
        return String.format(Locale.ROOT, "%.2f", (double) nanos / other);
    }
}
