package io.fanfold.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.bench.ReuseBench.Reused;
import io.fanfold.bench.Target.Miss;
import io.fanfold.demo.DemoQuery;
import io.fanfold.demo.SsbQueries;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReuseBenchTest {
    private static final long SECOND = 1_000_000_000;

    private final ReuseBench mysql = new ReuseBench(3, true, true);

    @Test
    void targetsThatAreJustMetAreNotMissed() {
        // a first execution may also take the fixed cost of 5 ms longer
        assertThat(misses(mysql, reused(50_000, 4_000, 4_205, 1_000, 1_051))).isEmpty();
    }

    @Test
    void theMissedTargetsAreNamed() {
        assertThat(misses(mysql, reused(49_000, 4_000, 4_400, 1_000, 1_200)))
                .containsExactly(
                        "sum without small lines: first/no reuse 1.100 (target: at most 1.05)",
                        "sum without small lines: direct/again 49.000 (target: at least 50.00)",
                        "sum without small lines: first/changed 3.667 (target: at least 4.00)");
    }

    @Test
    void someTargetsAreForLargeTablesOrLogsWithPartitions() {
        Reused slow = reused(4_000, 4_000, 4_000, 4_000, 4_000);
        assertThat(misses(new ReuseBench(3, false, true), slow)).isEmpty();
        assertThat(misses(new ReuseBench(3, true, false), slow))
                .containsExactly("sum without small lines: direct/again 1.000 (target: at least 50.00)");
    }

    @Test
    void plainRowsAreNotInTheSums() {
        Reused plain = new Reused(SsbQueries.SMALL_LINES, SECOND, SECOND, SECOND, SECOND, SECOND, "0", "");
        assertThat(misses(mysql, plain, reused(50_000, 4_000, 4_000, 1_000, 1_000)))
                .isEmpty();
    }

    @Test
    void anotherAnswerIsMissed() {
        Reused other = new Reused(SsbQueries.TOTALS, 50_000, 4_000, 4_000, 1_000, 1_000, "8", "8 rows direct");
        assertThat(misses(mysql, other))
                .containsExactly("totals (8 rows direct): answers unlike the server's 1.000 (target: at most 0.00)");
        assertThat(mysql.line(other)).endsWith("DIFFERENT: 8 rows direct\n");
    }

    @Test
    void showsTheServerAndTheRatios() {
        Reused one = reused(50_000, 4_000, 4_000, 1_000, 500);
        assertThat(mysql.head("MySQL 9.7.4") + mysql.line(one)).isEqualTo("""
                reuse on MySQL 9.7.4, medians of 3 (targets of the sums: first/no reuse at most 1.05, direct/again at least 50, first/changed at least 4)
                its log names partitions: a changed row is in one of 8
                query             direct s  no reuse s  first s  again s  changed s  first/no reuse  direct/again  first/changed  kept
                ----------------  --------  ----------  -------  -------  ---------  --------------  ------------  -------------  ----
                totals              50.000       4.000    4.000    1.000      0.500            1.00         50.00           8.00  8
                """);
        assertThat(new ReuseBench(3, true, false).head("MariaDB 10.11.1"))
                .contains("MariaDB 10.11.1", "its log names no partitions")
                .doesNotContain("first/changed at least");
    }

    /** Returns times in milliseconds. */
    private static Reused reused(long direct, long without, long first, long again, long changed) {
        long milli = 1_000_000;
        DemoQuery query = SsbQueries.TOTALS;
        return new Reused(
                query, direct * milli, without * milli, first * milli, again * milli, changed * milli, "8", "");
    }

    private static List<String> misses(ReuseBench bench, Reused... all) {
        return bench.misses(List.of(all)).stream().map(Miss::toString).toList();
    }
}
