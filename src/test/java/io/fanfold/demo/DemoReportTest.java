package io.fanfold.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.metrics.FanOutReport;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoReportTest {
    private static final DemoQuery COUNT = DemoQuery.unordered("count", "SELECT COUNT(*) FROM lineorder");
    private static final DemoQuery SUM = DemoQuery.unordered("SSB Q1", "SELECT SUM(x)\n  FROM lineorder");
    private static final DemoQuery LAST =
            DemoQuery.unordered("SSB Q2", "SELECT " + "x, ".repeat(40) + "y FROM lineorder");

    private final DemoReport report = new DemoReport(List.of(COUNT, SUM, LAST), List.of(SUM, LAST), false);

    @Test
    void showsSplitsPassesDifferencesAndTheSum() {
        String text = report.head()
                + line(COUNT, 2_000, 500, "", FanOutReport.split(8, 4, "verified", 0))
                + line(SUM, 1_000, 1_000, "1 rows direct, 0 through the proxy", FanOutReport.passed("worse_plan"))
                + line(LAST, 3_500, 2_000, "", FanOutReport.split(8, 4, "verified", 0))
                + report.sum()
                + report.differences();
        assertThat(text).isEqualTo("""
                        query   direct s  Fanfold s  ratio  same rows  parts  degree  snapshot
                        ------  --------  ---------  -----  ---------  -----  ------  --------
                        count      2.000      0.500    4.0  yes            8       4  verified
                        SSB Q1     1.000      1.000    1.0  NO             -       -  passed through: worse_plan
                        SSB Q2     3.500      2.000    1.8  yes            8       4  verified
                        SSB, all 2     4.500      3.000    1.5  NO             -       -  1 split, 1 passed through
                        SSB Q1: 1 rows direct, 0 through the proxy
                        """);
    }

    @Test
    void explainsTheWordsThatOccur() {
        line(COUNT, 2_000, 500, "", FanOutReport.split(8, 4, "verified", 0));
        line(SUM, 1_000, 1_000, "", FanOutReport.passed("worse_plan"));
        line(LAST, 1_000, 1_000, "", FanOutReport.passed("measured"));
        assertThat(report.legend()).isEqualTo("""
                        ratio   time direct / time through Fanfold: above 1.0 Fanfold is faster
                        parts   partitions, or ranges of the primary key if the table has no partitions
                        verified  split; it was proven that all worker connections read the same state of the tables
                        passed through  the server ran the whole statement itself
                        -       it was not split into partition queries
                        worse_plan  the server's plan for the partition queries is worse than its plan for the whole statement
                        measured  Fanfold measures this statement without a split, or has found that a split is not faster
                        """);
    }

    @Test
    void theLegendExplainsNoWordThatDoesNotOccur() {
        line(COUNT, 2_000, 500, "", FanOutReport.split(8, 4, "relaxed", 0));
        assertThat(report.legend()).isEqualTo("""
                        ratio   time direct / time through Fanfold: above 1.0 Fanfold is faster
                        parts   partitions, or ranges of the primary key if the table has no partitions
                        relaxed  split; nothing proves that all worker connections read the same state of the tables
                        """);
    }

    @Test
    void listsTheStatementsInLinesOf120() {
        List<String> lines = report.statements().lines().toList();
        assertThat(lines)
                .startsWith("count   SELECT COUNT(*) FROM lineorder", "SSB Q1  SELECT SUM(x) FROM lineorder")
                .hasSize(4);
        assertThat(lines.get(2))
                .startsWith("SSB Q2  SELECT x, x, ")
                .endsWith("x,")
                .hasSizeBetween(118, 120);
        assertThat(lines.get(3)).startsWith("        x, x, ").endsWith(" x, y FROM lineorder");
    }

    @Test
    void rowsOfOtherServersAreShownForSpider() {
        DemoReport spider = new DemoReport(List.of(COUNT), List.of(COUNT), true);
        assertThat(spider.head()).contains("ratio  direct rows  Fanfold rows  same rows");
        assertThat(spider.line(new QueryComparison.Outcome(
                        COUNT, 2_000_000_000, 500_000_000, "", FanOutReport.split(8, 4, "locked", 0), 120_000, 8)))
                .contains(" 2.000 ", " 0.500 ", " 4.0 ", "     120,000             8  yes ");
        assertThat(spider.sum()).startsWith("all 1 ").contains("     120,000             8  yes ");
        assertThat(spider.legend()).contains("rows that the servers of the partitions sent in the last run");
    }

    private String line(DemoQuery query, long direct, long proxied, String difference, FanOutReport report) {
        return this.report.line(
                new QueryComparison.Outcome(query, direct * 1_000_000, proxied * 1_000_000, difference, report, 0, 0));
    }
}
