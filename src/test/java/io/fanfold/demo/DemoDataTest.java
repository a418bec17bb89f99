package io.fanfold.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.fanfold.config.Secret;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.row.Row;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoDataTest {
    private static final BigDecimal SCALE = new BigDecimal("0.0010");
    private static final String TABLES = "SELECT table_name";
    private static final String MARKER = "SELECT CONCAT_WS";

    private final FakeSqlClient client = new FakeSqlClient();

    @Test
    void makesAndFillsEveryTableAndThenSaysSo() throws Exception {
        ensure(true);
        assertThat(client.statements)
                .filteredOn(sql -> sql.startsWith("CREATE TABLE"))
                .hasSize(7);
        assertThat(client.statements)
                .contains("INSERT INTO fanfold_demo VALUES (2,'0.001',1992,'loading')", "SET SESSION sql_log_bin = 0");
        for (String table : SsbSchema.onOneServer().names()) {
            assertThat(client.statements).anyMatch(sql -> sql.startsWith("INSERT INTO " + table + " VALUES ("));
        }
        assertThat(client.statements)
                .containsSubsequence(
                        "ANALYZE TABLE dim_date, customer, supplier, part, lineorder, lineorder_plain",
                        "UPDATE fanfold_demo SET state = 'loaded'");
        assertThat(client.statements).last().isEqualTo("UPDATE fanfold_demo SET state = 'loaded'");
        assertThat(client.closed()).isTrue();
    }

    @Test
    void leavesTheBinaryLogOfAnotherServerAlone() throws Exception {
        ensure(false);
        assertThat(client.statements).noneMatch(sql -> sql.contains("sql_log_bin"));
    }

    @Test
    void loadsNothingTheSecondTime() throws Exception {
        client.answer(TABLES, texts("lineorder", "fanfold_demo")).answer(MARKER, texts("2 0.001 1992 loaded"));
        ensure(false);
        assertThat(client.statements).noneMatch(sql -> sql.startsWith("INSERT") || sql.startsWith("DROP"));
    }

    @Test
    void startsAgainAfterALoadThatWasInterrupted() throws Exception {
        client.answer(TABLES, texts("lineorder", "fanfold_demo")).answer(MARKER, texts("2 0.001 1992 loading"));
        ensure(false);
        assertThat(client.statements).contains("DROP TABLE IF EXISTS lineorder");
    }

    @Test
    void neverTouchesTablesOfOthers() {
        client.answer(TABLES, texts("LINEORDER"));
        assertThatIOException()
                .isThrownBy(() -> ensure(true))
                .withMessage("table ssb.lineorder exists and was not made by this demo (choose another database with"
                        + " --database)");
        assertThat(client.statements).noneMatch(sql -> sql.startsWith("DROP"));
    }

    @Test
    void keepsTablesOfAnotherScaleOnAServerOfTheUser() {
        client.answer(TABLES, texts("fanfold_demo")).answer(MARKER, texts("2 1 1992 loaded"));
        assertThatIOException()
                .isThrownBy(() -> ensure(false))
                .withMessageContaining("of another scale or version (2 1 1992 loaded; wanted 2 0.001 1992)");
        assertThat(client.statements).noneMatch(sql -> sql.startsWith("DROP"));
    }

    @Test
    void namesTheMissingPrivilege() {
        client.fail("CREATE TABLE", 1142);
        assertThatIOException()
                .isThrownBy(() -> ensure(false))
                .withMessage("account u needs CREATE on ssb.*: 1142 (HY000): refused");
    }

    @Test
    void givesUpOnAStatementThatDeadlocksAgainAndAgain() {
        client.fail("INSERT INTO customer", 1213);
        assertThatIOException()
                .isThrownBy(() -> ensure(false))
                .withMessage("table customer could not be filled: 1213 (HY000): refused");
        assertThat(client.statements)
                .filteredOn(sql -> sql.startsWith("INSERT INTO customer"))
                .hasSize(5);
    }

    @Test
    void createsTheTablesOfPartitionsOnOtherServers() throws Exception {
        FakeSqlClient first = new FakeSqlClient();
        FakeSqlClient second = new FakeSqlClient();
        Endpoint one = new Endpoint("127.0.0.1", 4001, "spider", new Secret("a"));
        Endpoint other = new Endpoint("127.0.0.1", 4002, "spider", new Secret("b"));
        SsbSchema schema = SsbSchema.onServers(List.of(one, other), List.of("CREATE OR REPLACE SERVER b1"));
        SqlClient.Factory clients =
                endpoint -> endpoint.port() == 4001 ? first : endpoint.port() == 4002 ? second : client;
        new DemoData(clients, new Endpoint("h", 1, "u", Secret.EMPTY), "ssb", schema, true, Steps.silent())
                .ensure(SCALE, 1);
        assertThat(client.statements)
                .contains("CREATE OR REPLACE SERVER b1")
                .anyMatch(sql -> sql.startsWith("CREATE TABLE lineorder (")
                        && sql.contains("ENGINE=SPIDER")
                        && sql.endsWith("PARTITION p7 COMMENT = 'srv \"b1\", table \"lineorder_p7\"')"))
                .noneMatch(sql -> sql.contains(SsbSchema.PLAIN));
        assertThat(first.statements)
                .startsWith("CREATE DATABASE IF NOT EXISTS `ssb`", "USE `ssb`", "DROP TABLE IF EXISTS lineorder_p0")
                .hasSize(2 + 2 * 4);
        assertThat(second.statements)
                .contains("DROP TABLE IF EXISTS lineorder_p7")
                .hasSize(2 + 2 * 4);
        assertThat(second.closed()).isTrue();
    }

    private void ensure(boolean ownServer) throws IOException, InterruptedException {
        PrintStream out = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        Endpoint server = new Endpoint("h", 1, "u", Secret.EMPTY);
        new DemoData(endpoint -> client, server, "ssb", ownServer, new Steps(out, false)).ensure(SCALE, 1);
    }

    private static SqlAnswer texts(String... values) {
        Column column = new Column("", "", "", "c", "", 45, 100, ColumnType.VAR_STRING, 0, 0);
        return new SqlAnswer(
                List.of(column),
                Arrays.stream(values)
                        .map(value -> Row.ofValues(List.of(value.getBytes(StandardCharsets.UTF_8))))
                        .toList());
    }
}
