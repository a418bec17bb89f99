package io.fanfold.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.observe.StatementGroups.Load;
import io.fanfold.sql.SqlDialect;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class StatementGroupsTest {
    private static final SqlDialect DIALECT = new SqlDialect(ServerFlavor.MYSQL, false, false, StandardCharsets.UTF_8);

    private final StatementGroups groups = new StatementGroups(DIALECT, 2, 100_000);

    private void add(String schema, String sql, long nanos) {
        groups.add(new LoggedStatement(schema, "", sql, false, 1, nanos));
    }

    @Test
    void statementsThatDifferInValuesAreOneGroup() {
        add("s", "SELECT a FROM t WHERE b = 1", 10);
        add("s", "SELECT a /* 7 */ FROM t  WHERE b = 'x'", 30);
        add("s", "SELECT a FROM t WHERE b = 2", 20);
        add("other", "SELECT a FROM t WHERE b = 2", 5);
        assertThat(groups.load().groups())
                .containsExactly(
                        new StatementGroup(
                                "s",
                                "SELECT a FROM t WHERE b = ?",
                                "SELECT a /* 7 */ FROM t  WHERE b = 'x'",
                                false,
                                3,
                                60),
                        new StatementGroup(
                                "other", "SELECT a FROM t WHERE b = ?", "SELECT a FROM t WHERE b = 2", false, 1, 5));
    }

    @Test
    void aTextThatTheLexerRefusesIsGroupedToo() {
        add("s", "SELECT a && 1 FROM t", 10);
        add("s", "SELECT a && 2 FROM t", 10);
        assertThat(groups.load().groups()).singleElement().satisfies(group -> {
            assertThat(group.executions()).isEqualTo(2);
            assertThat(group.digest()).isEqualTo("SELECT a && ? FROM t");
        });
    }

    @Test
    void otherStatementsCountForTheTotal() {
        add("s", "UPDATE t SET a = 1", 10);
        add("s", "# administrator command: Quit", 1);
        add("s", "(SELECT 1) UNION (SELECT 2)", 5);
        add("s", "WITH x AS (SELECT 1) SELECT * FROM x", 4);
        Load load = groups.load();
        assertThat(load.executions()).isEqualTo(4);
        assertThat(load.nanos()).isEqualTo(20);
        assertThat(load.selectExecutions()).isEqualTo(2);
        assertThat(load.selectNanos()).isEqualTo(9);
        assertThat(load.groups()).hasSize(2);
    }

    @Test
    void keepsThoseThatTakeMostTimeAndTheTotal() {
        for (int i = 0; i < 1000; i++) {
            add("s", "SELECT a" + i + " FROM t", 1);
        }
        add("s", "SELECT big FROM t", 1000);
        for (int i = 0; i < 1000; i++) {
            add("s", "SELECT b" + i + " FROM t", 1);
        }
        add("s", "SELECT big FROM t", 1000);
        Load load = groups.load();
        assertThat(load.groups()).hasSize(2);
        assertThat(load.groups().get(0).nanos()).isEqualTo(2000);
        assertThat(load.selectNanos()).isEqualTo(4000);
        assertThat(load.droppedNanos())
                .isEqualTo(4000 - 2000 - load.groups().get(1).nanos());
        assertThat(load.droppedExecutions())
                .isEqualTo(2002 - 2 - load.groups().get(1).executions());
    }

    @Test
    void longSamplesAreDroppedFirstIfTheyTakeLeastTime() {
        String wide = " ".repeat(60_000);
        add("s", "SELECT a FROM t WHERE" + wide + " b = 1", 10);
        add("s", "SELECT c FROM t WHERE" + wide + " b = 1", 20);
        assertThat(groups.load().groups())
                .singleElement()
                .satisfies(group -> assertThat(group.digest()).startsWith("SELECT c"));
    }

    @Test
    void aWholeTextIsABetterSampleThanACutOne() {
        groups.add(new LoggedStatement("s", "SELECT d", "SELECT a FR", true, 1, 100));
        groups.add(new LoggedStatement("s", "SELECT d", "SELECT a FROM t", false, 1, 10));
        groups.add(new LoggedStatement("s", "SELECT d", "SELECT a FR", true, 1, 200));
        assertThat(groups.load().groups())
                .containsExactly(new StatementGroup("s", "SELECT d", "SELECT a FROM t", false, 3, 310));
    }

    @Test
    void theServersDigestSaysIfAStatementWasPreparedOrExecuted() {
        groups.add(new LoggedStatement("s", "PREPARE SELECT `a` FROM `t`", "SELECT a FROM t", false, 7, 100));
        assertThat(groups.load().selectExecutions()).isZero();
        groups.add(new LoggedStatement("s", "EXECUTE SELECT `a` FROM `t`", "SELECT a FROM t", false, 3, 100));
        assertThat(groups.load().selectExecutions()).isEqualTo(3);
        assertThat(groups.load().executions()).isEqualTo(10);
    }
}
