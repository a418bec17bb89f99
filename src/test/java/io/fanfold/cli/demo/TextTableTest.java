package io.fanfold.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fanfold.cli.FanOutReport;
import io.fanfold.cli.demo.TextTable.Heading;
import java.util.List;
import org.junit.jupiter.api.Test;

class TextTableTest {
    @Test
    void alignsWordsLeftAndNumbersRight() {
        TextTable table = new TextTable(Heading.left("query"), Heading.right("s"), Heading.left("note"));
        table.add("count", "1.250", "verified");
        table.add("a longer one", "12.000", "");
        assertThat(table.render()).isEqualTo("""
                        query              s  note
                        ------------  ------  --------
                        count          1.250  verified
                        a longer one  12.000
                        """);
    }

    @Test
    void refusesRowsOfAnotherWidth() {
        TextTable table = new TextTable(Heading.left("query"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.add("a", "b"))
                .withMessage("2 cells (expected: 1)");
    }

    @Test
    void theDemosTableShowsSplitsPassesAndDifferences() {
        DemoQuery query = DemoQuery.unordered("count", "SELECT COUNT(*) FROM lineorder");
        DemoQuery other = DemoQuery.unordered("sum", "SELECT SUM(x) FROM lineorder");
        DemoReport report = new DemoReport(List.of(query, other));
        String text = report.head()
                + report.line(new QueryComparison.Outcome(
                        query, 2_000_000_000, 500_000_000, "", FanOutReport.split(8, 4, "verified")))
                + report.line(new QueryComparison.Outcome(
                        other,
                        1_000_000,
                        1_000_000,
                        "1 rows direct, 0 through the proxy",
                        FanOutReport.passed("few_rows")))
                + report.differences();
        assertThat(text).isEqualTo("""
                        query  direct s  Fanfold s   ratio  same rows  partitions  degree  snapshot
                        -----  --------  ---------  ------  ---------  ----------  ------  --------
                        count     2.000      0.500    4.0x  yes                 8       4  verified
                        sum       0.001      0.001    1.0x  NO                  -       -  passed through: few_rows
                        sum: 1 rows direct, 0 through the proxy
                        """);
    }
}
