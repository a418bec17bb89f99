package io.fanfold.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.bench.SplitBench.Measured;
import io.fanfold.bench.Target.Times;
import io.fanfold.metrics.FanOutReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadmeTableTest {
    @Test
    void aLineForEachStatementAndOneForTheBenchmark() {
        List<Measured> measured = BenchStatement.ALL.stream()
                .map(statement -> new Measured(
                        statement,
                        new Times(4_000_000_000L, 1_000_000_000L, 0, 2_000_000_000L, true),
                        FanOutReport.split(8, 2, "verified", 0)))
                .toList();
        String table = ReadmeTable.render(measured);
        assertThat(table)
                .startsWith(
                        ReadmeTable.HEAD
                                + "| `SELECT COUNT(DISTINCT LO_OrderDateKey) FROM lineorder` | 4.000 s | 1.000 s | 2.000 s | 2.0 |\n")
                .contains("| the 13 queries of the Star Schema Benchmark, together | 52.000 s | 13.000 s | 26.000 s |"
                        + " 2.0 |\n")
                .endsWith("| the 13 queries of the Star Schema Benchmark, together, on `lineorder_plain` | 52.000 s |"
                        + " 13.000 s | 26.000 s | 2.0 |\n");
        assertThat(statements(table)).isEqualTo(ReadmeTable.statements());
    }

    @Test
    void aLineWithAMissingStatementIsLeftOut() {
        BenchStatement one = BenchStatement.PARTITIONED.get(BenchStatement.PARTITIONED.size() - 1);
        Measured measured =
                new Measured(one, new Times(4_000_000_000L, 1, 0, 1, true), FanOutReport.split(8, 2, "verified", 0));
        assertThat(ReadmeTable.render(List.of(measured))).isEqualTo(ReadmeTable.HEAD);
    }

    @Test
    void theReadmeHasTheTable() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        List<String> tables = new ArrayList<>();
        for (int at = readme.indexOf(ReadmeTable.HEAD); at >= 0; at = readme.indexOf(ReadmeTable.HEAD, at + 1)) {
            tables.add(readme.substring(at, readme.indexOf("\n\n", at) + 1));
        }
        assertThat(tables)
                .hasSize(1)
                .allSatisfy(table -> assertThat(statements(table)).isEqualTo(ReadmeTable.statements()));
    }

    private static List<String> statements(String table) {
        List<String> cells = new ArrayList<>();
        table.lines()
                .skip(ReadmeTable.HEAD.lines().count())
                .forEach(line -> cells.add(line.substring(2, line.indexOf(" | "))));
        return cells;
    }
}
