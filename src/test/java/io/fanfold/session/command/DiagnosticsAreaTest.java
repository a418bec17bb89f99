package io.fanfold.session.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import io.fanfold.wire.ServerPacket.Err;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class DiagnosticsAreaTest {
    private final DiagnosticsArea last = new DiagnosticsArea(ServerFlavor.MYSQL);

    private boolean asksBefore(String sql) {
        return !before(sql, false).isEmpty();
    }

    private List<String> before(String sql, boolean prepare) {
        byte[] text = ("xx" + sql).getBytes(StandardCharsets.UTF_8);
        List<String> queries = last.before(text, 2, prepare);
        assertThat(last.before(text, 2, prepare)).as("asked again").isEqualTo(queries);
        if (prepare) {
            last.prepared(text, 2);
        }
        return queries;
    }

    @Test
    void onlyAfterAFoldedAnswer() {
        assertThat(asksBefore("SELECT FOUND_ROWS()")).isFalse();
        last.split(1);
        assertThat(asksBefore("SELECT FOUND_ROWS()")).isTrue();
        last.clear();
        assertThat(asksBefore("SELECT FOUND_ROWS()")).isFalse();
    }

    @Test
    void onlyForStatementsThatMayAsk() {
        last.split(1);
        for (String sql : new String[] {
            "select found_rows()",
            "SHOW WARNINGS",
            "show count(*) errors",
            "SELECT @@warning_count",
            "SELECT ROW_COUNT()",
            "GET DIAGNOSTICS @n = NUMBER",
            "EXECUTE prepared_before",
            "Call a_procedure()"
        }) {
            assertThat(asksBefore(sql)).as(sql).isTrue();
        }
        assertThat(asksBefore("SELECT 1")).isFalse();
        assertThat(asksBefore("SELECT found_row")).isFalse();
    }

    @Test
    void foundRowsAreRestoredBeforeAnyStatementThatMayKeepThem() {
        for (String sql : List.of(
                "DO 1", "/* a */ PREPARE s FROM 'SELECT 1'", "-- a\nSELECT 1", "/*! SELECT 1 */", "/* a", "x", "")) {
            last.split(4);
            assertThat(before(sql, false)).as(sql).containsExactly(DiagnosticsArea.query(4));
            assertThat(before(sql, true)).as(sql).isEmpty();
            last.clear();
            assertThat(asksBefore(sql)).as(sql).isFalse();
        }
    }

    @Test
    void noQueryIsSentBeforeTheUsualStatements() {
        for (String sql : List.of(
                "SELECT 1",
                " \n/* a */\t/**/ select 1",
                "(SELECT 1)",
                "WITH a AS (SELECT 1) SELECT 1",
                "SET NAMES latin1",
                "/* a */ COMMIT",
                "INSERT INTO t VALUES (1)",
                "UPDATE t SET a = 1")) {
            last.split(4);
            assertThat(before(sql, false)).as(sql).isEmpty();
        }
    }

    @Test
    void onMariaDbTheWarningsOfAChangeStay() {
        DiagnosticsArea mariaDb = new DiagnosticsArea(ServerFlavor.MARIADB);
        byte[] change = "INSERT INTO t VALUES (1)".getBytes(StandardCharsets.UTF_8);
        byte[] other = "DO 1".getBytes(StandardCharsets.UTF_8);
        mariaDb.split(3);
        mariaDb.relayed(change, 0);
        assertThat(mariaDb.before(other, 0, false)).containsExactly("SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 1");
        mariaDb.split(0);
        mariaDb.relayed(change, 0);
        assertThat(mariaDb.before(other, 0, false)).containsExactly("SELECT 1 FROM DUAL WHERE 1=0");
        mariaDb.split(201);
        mariaDb.relayed(change, 0);
        assertThat(mariaDb.before(other, 0, false)).containsExactly(DiagnosticsArea.query(201));
        last.split(3);
        last.relayed(change, 0);
        assertThat(last.before(other, 0, false)).containsExactly(DiagnosticsArea.query(3));
    }

    @Test
    void warningsThatAreShownLeaveTheRows() {
        last.refused(5, true, KILLED);
        assertThat(asksBefore("SHOW WARNINGS")).isFalse();
        last.relayed("SHOW WARNINGS".getBytes(StandardCharsets.UTF_8), 0);
        assertThat(before("SELECT FOUND_ROWS()", false)).containsExactly(DiagnosticsArea.query(5), SIGNAL);
    }

    @Test
    void remembersThatAPreparedStatementAsks() {
        last.split(1);
        assertThat(last.beforeExecute()).isEmpty();
        last.clear();
        assertThat(before("SELECT FOUND_ROWS()", true)).isEmpty();
        last.split(1);
        assertThat(last.beforeExecute()).isNotEmpty();
        last.reset();
        last.split(1);
        assertThat(last.beforeExecute()).isEmpty();
    }

    @Test
    void theQueryHasTheNumberOfRowsOfTheAnswer() {
        assertThat(DiagnosticsArea.query(0)).isEqualTo("SELECT 1 FROM DUAL WHERE 1=0");
        assertThat(DiagnosticsArea.query(12)).contains("REPEAT(',1',11)");
    }

    private static final Err KILLED = new Err(1317, "70100", "it's \\ out");
    private static final String SIGNAL = "SIGNAL SQLSTATE '70100' SET MYSQL_ERRNO=1317, MESSAGE_TEXT='it''s ? out'";

    private void foundBefore(String rows) {
        last.foundBefore(new Reply.Result(
                List.of(), List.of(Row.ofValues(List.of(rows.getBytes(StandardCharsets.UTF_8)))), 0, 0));
    }

    @Test
    void anErrorLeavesTheRowsThatWereFoundBefore() {
        assertThat(last.foundBefore()).isFalse();
        foundBefore("7");
        assertThat(last.foundBefore()).isTrue();
        last.failed(KILLED, true);
        assertThat(before("SHOW WARNINGS", false)).containsExactly(DiagnosticsArea.query(7), SIGNAL);
        assertThat(before("SELECT FOUND_ROWS()", false)).containsExactly(DiagnosticsArea.query(7), SIGNAL);
        last.clear();
        assertThat(last.foundBefore()).isFalse();
        last.split(3);
        assertThat(last.foundBefore()).isTrue();
        last.failed(KILLED, true);
        assertThat(before("SELECT ROW_COUNT()", false)).containsExactly(DiagnosticsArea.query(3), SIGNAL);
        last.split(4);
        assertThat(before("SELECT ROW_COUNT()", false)).containsExactly(DiagnosticsArea.query(4));
    }

    @Test
    void onMariaDbAnErrorWhileItRunsLeavesNone() {
        DiagnosticsArea mariaDb = new DiagnosticsArea(ServerFlavor.MARIADB);
        mariaDb.split(3);
        mariaDb.failed(KILLED, false);
        assertThat(mariaDb.known()).as("it did not run").isEqualTo(3);
        mariaDb.failed(KILLED, true);
        byte[] ask = "show warnings".getBytes(StandardCharsets.UTF_8);
        assertThat(mariaDb.before(ask, 0, false)).containsExactly(DiagnosticsArea.query(0), SIGNAL);
        mariaDb.clear();
        mariaDb.refused(3, true, KILLED);
        assertThat(mariaDb.known()).as("the server knows").isEqualTo(-1);
        mariaDb.refused(3, false, KILLED);
        assertThat(mariaDb.known()).isEqualTo(3);
    }

    @Test
    void afterAServerErrorOnlyTheFoundRowsAreRestored() {
        last.refused(5, true, KILLED);
        assertThat(asksBefore("SHOW WARNINGS")).isFalse();
        assertThat(asksBefore("SELECT ROW_COUNT(), @@error_count")).isFalse();
        assertThat(before("SELECT FOUND_ROWS()", false)).containsExactly(DiagnosticsArea.query(5), SIGNAL);
        assertThat(asksBefore("EXECUTE s")).isTrue();
        last.clear();
        last.refused(-1, true, KILLED);
        assertThat(asksBefore("SELECT FOUND_ROWS()")).isFalse();
    }

    @Test
    void aCountThatIsNotANumberIsUnknown() {
        foundBefore("many");
        assertThat(last.foundBefore()).isFalse();
        last.foundBefore(new Reply.Failed(1317, "70100", "killed"));
        assertThat(last.foundBefore()).isFalse();
        last.foundBefore(new Reply.Result(List.of(), List.of(), 0, 0));
        assertThat(last.foundBefore()).isFalse();
    }
}
