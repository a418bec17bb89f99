package io.fanfold.bench;

import io.fanfold.bench.SplitBench.Measured;
import io.fanfold.bench.Target.Times;
import io.fanfold.demo.DemoQuery;
import io.fanfold.demo.SsbQueries;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The table of the README, as Markdown. */
final class ReadmeTable {
    /** The headings and the line below them. */
    static final String HEAD = """
            | statement | direct | by hand | Fanfold | direct/Fanfold |
            |---|---:|---:|---:|---:|
            """;

    private static final int LONGEST_SQL = 140;

    private ReadmeTable() {}

    /** A line: one statement, or several whose times are summed. */
    private record Line(String name, List<BenchStatement> statements) {}

    private static List<Line> lines() {
        List<DemoQuery> benchmark = SsbQueries.BENCHMARK;
        String sum = "the " + benchmark.size() + " queries of the Star Schema Benchmark, together";
        List<Line> lines = new ArrayList<>(lines(BenchStatement.PARTITIONED, benchmark, sum));
        List<DemoQuery> plain = benchmark.stream().map(SsbQueries::plain).toList();
        lines.addAll(lines(BenchStatement.PLAIN, plain, sum + ", on `" + SsbQueries.plain("lineorder") + "`"));
        return lines;
    }

    /** A line for each statement that is not of the benchmark, and one for the benchmark. */
    private static List<Line> lines(List<BenchStatement> statements, List<DemoQuery> benchmark, String sum) {
        Stream<Line> others = statements.stream()
                .filter(statement -> !benchmark.contains(statement.query()))
                .map(ReadmeTable::line);
        List<BenchStatement> together = statements.stream()
                .filter(statement -> benchmark.contains(statement.query()))
                .toList();
        return Stream.concat(others, Stream.of(new Line(sum, together))).toList();
    }

    private static Line line(BenchStatement statement) {
        String sql = statement.query().sql();
        boolean whole = sql.length() <= LONGEST_SQL;
        return new Line(whole ? "`" + sql + "`" : statement.query().name(), List.of(statement));
    }

    /** The first cells of the lines. */
    static List<String> statements() {
        return lines().stream().map(Line::name).toList();
    }

    /** Returns the table of the measurements; lines with a statement that was not measured are omitted. */
    static String render(List<Measured> all) {
        StringBuilder text = new StringBuilder(HEAD);
        List<BenchStatement> present = all.stream().map(Measured::statement).toList();
        for (Line line : lines()) {
            if (!present.containsAll(line.statements())) {
                continue;
            }
            long direct = 0;
            long byHand = 0;
            long fanfold = 0;
            for (Measured measured : all) {
                if (line.statements().contains(measured.statement())) {
                    Times times = measured.times();
                    direct += times.directNanos();
                    byHand += times.byHandNanos();
                    fanfold += times.fanfoldNanos();
                }
            }
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %.3f s | %.3f s | %.3f s | %.1f |%n",
                    line.name(),
                    direct / 1e9,
                    byHand / 1e9,
                    fanfold / 1e9,
                    (double) direct / fanfold));
        }
        return text.toString();
    }
}
