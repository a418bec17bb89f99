package io.fanfold.it.values;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Aggregates of floating-point numbers: refused unless allowed, and close to the server's own results if allowed. */
class ApproximateIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_approximate", "", ApproximateIT::create);

    private static final String HINT = "/*+ APPROXIMATE */";

    /** Numbers near a million that differ by less than one. The textbook formula for variances would lose them. */
    private static final double OFFSET = 1e6;

    private static final double TOLERANCE = 1e-9;

    private static final List<String> STATEMENTS = List.of(
            "SELECT HINT SUM(dbl), AVG(dbl), COUNT(dbl), SUM(flt), AVG(flt), SUM(dec1) FROM T",
            "SELECT HINT g, SUM(dbl), AVG(flt), COUNT(*) FROM T GROUP BY g ORDER BY g",
            "SELECT HINT g, STD(dbl), STDDEV(flt), STDDEV_POP(id), STDDEV_SAMP(dbl) FROM T GROUP BY g ORDER BY g",
            "SELECT HINT g, VARIANCE(dbl), VAR_POP(id), VAR_SAMP(dec1), VAR_SAMP(far) FROM T GROUP BY g ORDER BY g",
            "SELECT HINT STD(far), VAR_SAMP(far), VAR_POP(dbl) FROM T",
            "SELECT HINT g, SUM(dbl) AS s, STD(id) + 1, SUM(dbl) / COUNT(*) FROM T GROUP BY g HAVING s > -1e6 ORDER BY g",
            "SELECT HINT SUM(dbl), STD(dbl), VAR_SAMP(id) FROM T WHERE id < 0",
            "SELECT HINT STD(id), VAR_SAMP(id), SUM(dbl) FROM T WHERE id + 0 = 5",
            "SELECT HINT x.g, x.s FROM (SELECT g, SUM(dbl) AS s FROM T GROUP BY g) x WHERE x.g > 1 ORDER BY x.g",
            "SELECT HINT g, SUM(dbl), STD(dbl), SUM(SUM(dbl)) OVER (ORDER BY g) FROM T GROUP BY g ORDER BY g",
            "SELECT HINT g, SUM(dbl), AVG(dbl) FROM T GROUP BY g WITH ROLLUP");

    /** The possible results of concatenating values in any order. */
    private static final List<String> JOINED = List.of(
            "SELECT HINT g, GROUP_CONCAT(id), COUNT(*) FROM T WHERE id < 150 GROUP BY g ORDER BY g",
            "SELECT HINT g, GROUP_CONCAT(DISTINCT dec1 ORDER BY id DESC) FROM T WHERE id < 150 GROUP BY g ORDER BY g",
            "SELECT HINT g, JSON_ARRAYAGG(id), JSON_ARRAYAGG(dec1) FROM T WHERE id < 150 GROUP BY g ORDER BY g",
            "SELECT HINT JSON_ARRAYAGG(CONCAT('a', id)), SUM(dec1) FROM T WHERE id < 150",
            "SELECT HINT g, JSON_OBJECTAGG(id, dec1) FROM T WHERE id < 150 GROUP BY g ORDER BY g");

    @AllServers
    void valuesAreConcatenatedInAnyOfTheirOrders(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 3)) {
            for (String statement : JOINED) {
                String plain = on(statement, "");
                same.passesThrough(plain, Reason.AGGREGATE);
                SameAsServer.Both both = same.both(on(statement, HINT), plain);
                assertThat(parts(both.proxied())).as(plain).isEqualTo(parts(both.direct()));
            }
        }
    }

    private static List<List<String>> parts(Reply.Result result) {
        List<List<String>> parts = new ArrayList<>();
        for (int row = 0; row < result.rows().size(); row++) {
            List<String> ofRow = new ArrayList<>();
            for (int column = 0; column < result.columns().size(); column++) {
                String inside = value(result, row, column).replaceAll("[\\[\\]{} ]", "");
                ofRow.add(Arrays.stream(inside.split(",")).sorted().toList().toString());
            }
            parts.add(ofRow);
        }
        return parts;
    }

    @AllServers
    void hintAllowsStatementsThatAreOtherwiseRefused(TestServer server) throws Exception {
        try (SameAsServer same = DATABASE.compared(server, 3)) {
            for (String statement : STATEMENTS) {
                String plain = on(statement, "");
                same.passesThrough(plain, Reason.APPROXIMATE);
                fansOutNearly(same, on(statement, HINT), plain);
            }
        }
    }

    @AllServers
    void settingAllowsStatementsThatAreOtherwiseRefused(TestServer server) throws Exception {
        try (SameAsServer same =
                DATABASE.compared(server, ProxySetup.ofDegree(2).approximate())) {
            for (String statement : STATEMENTS) {
                String plain = on(statement, "");
                fansOutNearly(same, plain, plain);
            }
            same.fansOut("SELECT g, COUNT(*), SUM(dec1), MIN(dbl), MAX(flt) FROM t GROUP BY g");
        }
    }

    private static void fansOutNearly(SameAsServer same, String sql, String plain) throws Exception {
        SameAsServer.Both both = same.both(sql, plain);
        Reply.Result actual = both.proxied();
        Reply.Result expected = both.direct();
        assertThat(actual.columns().stream().map(Column::type))
                .as(sql)
                .isEqualTo(expected.columns().stream().map(Column::type).toList());
        assertThat(actual.rows()).as(sql).hasSameSizeAs(expected.rows());
        for (int i = 0; i < expected.rows().size(); i++) {
            for (int column = 0; column < expected.columns().size(); column++) {
                boolean approximate = expected.columns().get(column).type() == ColumnType.DOUBLE;
                compare(sql, approximate, value(actual, i, column), value(expected, i, column));
            }
        }
    }

    private static String value(Reply.Result result, int row, int column) {
        Row asked = result.rows().get(row);
        return String.valueOf(asked.ascii(column));
    }

    private static void compare(String sql, boolean approximate, String actual, String expected) {
        if (!approximate || expected.equals("null") || actual.equals("null")) {
            assertThat(actual).as(sql).isEqualTo(expected);
            return;
        }
        double number = Double.parseDouble(expected);
        double slack = TOLERANCE * Math.max(1, Math.abs(number));
        assertThat(Double.parseDouble(actual)).as(sql).isCloseTo(number, within(slack));
    }

    private static String on(String statement, String hint) {
        return statement.replace("HINT ", hint.isEmpty() ? "" : hint + " ").replace("FROM T", "FROM t");
    }

    private static void create(WireConnection admin) throws Exception {
        Random random = new Random(7);
        StringBuilder values = new StringBuilder();
        for (int id = 0; id < 500; id++) {
            values.append(id == 0 ? "" : ",")
                    .append("(" + id + "," + (id % 7 == 0 ? "NULL" : id % 5) + ",")
                    .append(id % 11 == 0 ? "NULL" : random.nextGaussian() * 1000)
                    .append("," + (float) random.nextDouble() + "," + random.nextInt(1000) / 100.0 + ",")
                    .append(OFFSET + random.nextDouble() + ")");
        }
        admin.execute("CREATE TABLE t (id INT PRIMARY KEY, g INT NULL, dbl DOUBLE NULL, flt FLOAT NULL,"
                + " dec1 DECIMAL(12,4) NULL, far DOUBLE NOT NULL) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 6");
        admin.execute("INSERT INTO t VALUES " + values);
        admin.query("ANALYZE TABLE t");
    }
}
