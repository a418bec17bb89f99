package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.ExplainedTable;
import io.fanfold.row.Column;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExplainTest {
    private static final List<Column> MYSQL = Rows.columns(
            "id",
            "select_type",
            "table",
            "partitions",
            "type",
            "possible_keys",
            "key",
            "key_len",
            "ref",
            "rows",
            "filtered",
            "Extra");
    private static final List<Column> MARIADB = Rows.columns(
            "id",
            "select_type",
            "table",
            "partitions",
            "type",
            "possible_keys",
            "key",
            "key_len",
            "ref",
            "rows",
            "Extra");

    @Test
    void eachServerIsAskedInItsOwnWay() {
        assertThat(Explain.statement("SELECT 1", ServerFlavor.MYSQL)).isEqualTo("EXPLAIN FORMAT=TRADITIONAL SELECT 1");
        assertThat(Explain.statement("SELECT 1", ServerFlavor.MARIADB)).isEqualTo("EXPLAIN PARTITIONS SELECT 1");
    }

    /** The status flags of MySQL 9.7.4 and MariaDB 10.11.18. */
    @Test
    void scansSetTheNoIndexUsedStatus() {
        ExplainedTable scan = new ExplainedTable(1, "t", List.of(), "ALL", 9, "Using where");
        ExplainedTable index = new ExplainedTable(1, "t", List.of(), "index", 9, "Using index");
        ExplainedTable range = new ExplainedTable(1, "t", List.of(), "range", 9, "Using index condition");
        ExplainedTable chosen =
                new ExplainedTable(1, "t", List.of(), "ALL", 9, "Range checked for each record (index map: 0x1)");
        ExplainedTable function = new ExplainedTable(1, "j", List.of(), "ALL", 2, "Table function: json_table");
        assertThat(Explain.indexStatus(List.of(range, scan), ServerFlavor.MYSQL))
                .isEqualTo(0x20);
        assertThat(Explain.indexStatus(List.of(range, chosen), ServerFlavor.MYSQL))
                .isEqualTo(0x30);
        assertThat(Explain.indexStatus(List.of(range, index, function), ServerFlavor.MYSQL))
                .isZero();
        assertThat(Explain.indexStatus(List.of(range, scan), ServerFlavor.MARIADB))
                .isEqualTo(0x20);
        assertThat(Explain.indexStatus(List.of(range, index), ServerFlavor.MARIADB))
                .isEqualTo(0x20);
        assertThat(Explain.indexStatus(List.of(range, function), ServerFlavor.MARIADB))
                .isEqualTo(0x20);
        assertThat(Explain.indexStatus(List.of(chosen), ServerFlavor.MARIADB)).isEqualTo(0x30);
        assertThat(Explain.indexStatus(List.of(range), ServerFlavor.MARIADB)).isZero();
    }

    @Test
    void columnsAreFoundByName() {
        ExplainedTable wanted = new ExplainedTable(1, "t", List.of("p0", "p1_s"), "ALL", 1500, "Using where");
        assertThat(Explain.read(
                        MYSQL,
                        List.of(Rows.row(
                                "1",
                                "SIMPLE",
                                "t",
                                "p0,p1_s",
                                "ALL",
                                "NULL",
                                "NULL",
                                "NULL",
                                "NULL",
                                "1500",
                                "100.00",
                                "Using where"))))
                .containsExactly(wanted);
        assertThat(Explain.read(
                        MARIADB,
                        List.of(Rows.row(
                                "1",
                                "SIMPLE",
                                "t",
                                "p0,p1_s",
                                "ALL",
                                "NULL",
                                "NULL",
                                "NULL",
                                "NULL",
                                "1500",
                                "Using where"))))
                .containsExactly(wanted);
    }

    @Test
    void nullsAreEmpty() {
        assertThat(Explain.read(
                        Rows.columns("table", "partitions", "rows", "Extra"),
                        List.of(Rows.row("NULL", "NULL", "NULL", "NULL"))))
                .containsExactly(new ExplainedTable(0, "", List.of(), "", 0, ""));
    }

    /** MariaDB shows a rowid filter beside the index. */
    @Test
    void aRowidFilterIsLeftOut() {
        assertThat(Explain.read(
                        MARIADB,
                        List.of(Rows.row(
                                "1",
                                "SIMPLE",
                                "a",
                                "NULL",
                                "ref|filter",
                                "kd,ki",
                                "kd|ki",
                                "4|5",
                                "db.b.kd",
                                "5 (1%)",
                                "Using index condition; Using where; Using rowid filter"))))
                .containsExactly(new ExplainedTable(
                        1, "a", List.of(), "ref", "kd", 5, "Using index condition; Using where; Using rowid filter"));
    }

    @Test
    void aMissingColumnCountsAsNull() {
        assertThat(Explain.read(Rows.columns("TABLE"), List.of(Rows.row("t"))))
                .containsExactly(new ExplainedTable(0, "t", List.of(), "", 0, ""));
    }

    @Test
    void commasSeparateAlsoInsideNames() {
        assertThat(Explain.read(Rows.columns("partitions"), List.of(Rows.row("a,b,,c"))))
                .containsExactly(new ExplainedTable(0, "", List.of("a", "b", "", "c"), "", 0, ""));
    }

    @Test
    void anOverflowingRowCountIsTheLargestNumber() {
        assertThat(Explain.read(Rows.columns("rows"), List.of(Rows.row("18446744073709551615"))))
                .extracting(ExplainedTable::rows)
                .containsExactly(Long.MAX_VALUE);
    }
}
