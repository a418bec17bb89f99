package io.fanfold.it.prepared;

import static io.fanfold.it.support.client.SameInBinary.bigint;
import static io.fanfold.it.support.client.SameInBinary.date;
import static io.fanfold.it.support.client.SameInBinary.decimal;
import static io.fanfold.it.support.client.SameInBinary.integer;
import static io.fanfold.it.support.client.SameInBinary.moment;
import static io.fanfold.it.support.client.SameInBinary.nothing;
import static io.fanfold.it.support.client.SameInBinary.number;
import static io.fanfold.it.support.client.SameInBinary.text;
import static io.fanfold.it.support.client.SameInBinary.tiny;
import static io.fanfold.it.support.client.SameInBinary.unsigned;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.it.answers.SplitIT;
import io.fanfold.it.support.client.BinaryClient;
import io.fanfold.it.support.client.BinaryClient.Parameter;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.client.SameInBinary;
import io.fanfold.it.support.data.SplitTables;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.reason.Reason;
import io.fanfold.wire.Capability;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Prepared statements of the binary protocol: the same packets direct and through the proxy. */
class PreparedIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_prepared", "", SplitTables::create);

    private static final String DATABASE_NAME = "it_prepared";

    private static final int DATETIME = 12;
    private static final int TIMESTAMP = 7;

    private interface Body {
        void run(SameInBinary same) throws Exception;
    }

    private static void with(TestServer server, long capabilities, Body body) throws Exception {
        with(server, capabilities, 3, body);
    }

    private static void with(TestServer server, long capabilities, int degree, Body body) throws Exception {
        try (SameAsServer owner = DATABASE.compared(server, degree);
                SameInBinary same = new SameInBinary(owner.proxy(), DATABASE_NAME, capabilities)) {
            body.run(same);
        }
    }

    private static void with(TestServer server, Body body) throws Exception {
        with(server, BinaryClient.USUAL, body);
    }

    @AllServers
    void oneStatementHasChangingValuesAndTypes(TestServer server) throws Exception {
        with(server, same -> {
            String sql = "SELECT SUM(u), COUNT(*), MAX(dec1) FROM t_hash WHERE id < ?";
            same.fansOut(sql, integer(100));
            same.fansOutAgain(sql, integer(200));
            same.fansOut(sql, bigint(1L << 40));
            same.fansOut(sql, tiny(-3));
            same.fansOut(sql, decimal("12.5"));
            same.fansOutAgain(sql, decimal("-0.5"));
            String other = sql + " OR p = 1";
            same.fansOut(other, text("12"));
            same.passesThroughAgain(Reason.PARAMETER, other, text("x"));
            same.fansOutAgain(other, text("-3"));
            String none = sql + " AND p = 2";
            assertThat(same.outcome(none, nothing()).fannedOut()).as("no row").isFalse();
        });
    }

    /** MySQL would compare by the types of earlier executions. */
    @AllServers
    void oneParameterHasOneKindOfValuesOnMySql(TestServer server) throws Exception {
        with(server, same -> {
            String sql = "SELECT SUM(u), COUNT(*), MAX(dec1) FROM t_hash WHERE id < ?";
            same.fansOut(sql, integer(100));
            if (server.kind() == ServerFlavor.MYSQL) {
                same.passesThrough(Reason.PREPARED_STATE, sql, unsigned(-1));
                same.passesThrough(Reason.PREPARED_STATE, sql, integer(100));
            } else {
                same.fansOut(sql, unsigned(-1));
                same.fansOut(sql, text("12"));
                same.passesThrough(Reason.PARAMETER, sql, number(1e300));
                same.fansOutAgain(sql, number(13.5));
            }
        });
    }

    /** The server does not see the parameter types of a split execution. */
    @AllServers
    void serverGetsTypesOfSplitExecutionsLater(TestServer server) throws Exception {
        with(server, same -> {
            String sql = "SELECT SUM(u), COUNT(*) FROM t_hash WHERE id < ? AND p > ?";
            same.fansOut(sql, integer(100), bigint(3));
            same.onBoth("BEGIN");
            same.onBoth("SAVEPOINT s");
            same.passesThroughAgain(Reason.IN_TRANSACTION, sql, integer(50), bigint(2));
            same.passesThroughAgain(Reason.IN_TRANSACTION, sql, integer(51), bigint(2));
            same.onBoth("COMMIT");
            same.fansOut(sql, bigint(100), integer(3));
            same.fansOutAgain(sql, bigint(60), integer(2));
            same.onBoth("BEGIN");
            same.onBoth("SAVEPOINT s");
            same.passesThroughAgain(Reason.IN_TRANSACTION, sql, bigint(50), integer(2));
            same.onBoth("ROLLBACK");
        });
    }

    @AllServers
    void everyColumnTypeHasItsBinaryForm(TestServer server) throws Exception {
        String columns =
                "id, p, g, tiny, u, dec1, dec65, dbl, ci, bin_s, l1, vb, txt, d, dt, tm, y, e, e0, st, bt, bt64,"
                        + " zd, zdt, novel, bl, NULL, 17, 'x', 1.25";
        for (long more : List.of(0L, Capability.DEPRECATE_EOF)) {
            with(server, BinaryClient.USUAL | more, same -> {
                same.onBoth("SET sql_mode = ''");
                same.fansOut("SELECT " + columns + " FROM t_hash ORDER BY id, p");
                same.fansOut("SELECT " + columns + " FROM t_list WHERE id >= ? ORDER BY id, p", integer(3));
                same.passesThrough(Reason.BINARY_FORM, "SELECT id, flt FROM t_hash WHERE g > 1 ORDER BY id");
                same.passesThrough(Reason.BINARY_FORM, "SELECT id, dfix FROM t_hash WHERE g > 1 ORDER BY id");
                same.passesThrough(Reason.BINARY_FORM, "SELECT MAX(ffix), COUNT(*) FROM t_hash");
            });
        }
    }

    @AllServers
    void degreesDoNotShow(TestServer server) throws Exception {
        for (int degree : List.of(1, 2, 7)) {
            with(server, BinaryClient.USUAL, degree, same -> {
                same.fansOut(
                        "SELECT g, COUNT(*), SUM(dec1), AVG(dec1), MIN(tm), MAX(u), COUNT(dbl) FROM t_hash WHERE id >= ? GROUP BY g",
                        integer(0));
                same.fansOut("SELECT DISTINCT e, st FROM t_list WHERE id <> ? ORDER BY e, st", integer(5));
                same.fansOut(
                        "SELECT id, p, tm, dt, bt64, vb FROM t_hash WHERE id > ? ORDER BY id DESC, p LIMIT ?",
                        integer(3),
                        integer(40));
                same.fansOut("SELECT id, ci, dbl, g FROM t_hash WHERE id > ? AND g <> ?", integer(3), tiny(2));
                // no rows match
                same.fansOut("SELECT SUM(u), MAX(txt), COUNT(g), MIN(tm) FROM t_hash WHERE ci = ?", text("none such"));
                same.fansOut("SELECT id, dt FROM t_hash WHERE ci = ?", text("none such"));
            });
        }
    }

    /** Statements of the text comparison, compared in binary form too. */
    @AllServers
    void everyStatementHasItsBinaryForm(TestServer server) throws Exception {
        with(server, same -> {
            AtomicInteger fannedOut = new AtomicInteger();
            SplitIT.each(SplitTables.statements("split-fans-out.sql"), statement -> {
                if (same.fansOutUnless(Reason.BINARY_FORM, here(statement))) {
                    fannedOut.incrementAndGet();
                }
            });
            assertThat(fannedOut.get()).isGreaterThan(300);
            SplitIT.each(
                    SplitTables.statements("split-passes.sql"),
                    statement -> same.sameOnce(here(statement.substring(statement.indexOf('\t') + 1))));
        });
    }

    private static String here(String statement) {
        return SplitIT.on(statement, "t_hash").replace("it_split", DATABASE_NAME);
    }

    @AllServers
    void valuesBesideColumnsOfTheirFamilyAreLiterals(TestServer server) throws Exception {
        with(server, same -> {
            for (String operator : List.of("=", "<>", "<", ">", "<=", ">=", "<=>", "!=")) {
                each(same, operator, "tiny", tiny(3), integer(-2), bigint(1), decimal("2"));
                alike(same, operator, "tiny", integer(-300), bigint(1L << 62), unsigned(-1), decimal("2.5"));
                each(same, operator, "u", integer(5), unsigned(77), decimal("18446744073709551614"));
                alike(same, operator, "u", integer(-5), unsigned(-1), decimal("18446744073709551616"), decimal("-0.5"));
                each(same, operator, "dec1", integer(5), decimal("-31.1007"), decimal("0.5"));
                alike(same, operator, "dec1", decimal("0.00001"), unsigned(-1));
                each(
                        same,
                        operator,
                        "dec65",
                        integer(0),
                        decimal("-98765432109876543210900.000000000000000000000000000001"));
                each(same, operator, "dbl", number(0.5), number(1e-3), number(-1e300), number(0));
                for (String column : List.of("ci", "bin_s", "l1", "txt")) {
                    each(same, operator, column, text("alpha"), text("ALPHA "), text(""), text("it's"), text("z\"x`"));
                }
                Parameter[] days = {date(2004, 5, 14), text("2004-05-14"), moment(DATETIME, "2004-05-14 00:00:00")};
                Parameter[] times = {
                    moment(DATETIME, "2013-01-02 03:04:05"),
                    moment(TIMESTAMP, "2013-01-02 03:04:05.100023"),
                    text("2013-01-02 03:04:05.1"),
                    text("2013-01-02 03:04:05")
                };
                for (String column : List.of("d", "zd")) {
                    each(same, operator, column, days);
                    alike(same, operator, column, times);
                }
                for (String column : List.of("dt", "zdt")) {
                    each(same, operator, column, days);
                    each(same, operator, column, times);
                }
            }
        });
    }

    /** Requires equal answers. For values that no row can have, the server may know the answer without reading rows. */
    private static void alike(SameInBinary same, String operator, String column, Parameter... values) throws Exception {
        String sql = "SELECT p, id FROM t_hash WHERE " + column + " " + operator + " ? ORDER BY id, p LIMIT 50";
        for (Parameter value : values) {
            assertThat(same.outcomeOnce(sql, value).reason()).as("%s", sql).isNotEqualTo(Reason.PARAMETER);
        }
    }

    private static void each(SameInBinary same, String operator, String column, Parameter... values) throws Exception {
        String sql = "SELECT id, p FROM t_hash WHERE " + column + " " + operator + " ? ORDER BY id, p LIMIT 50";
        for (Parameter value : values) {
            assertThat(same.outcomeOnce(sql, value).reason()).as("%s", sql).isNull();
        }
    }

    @AllServers
    void valuesAreLiteralsInEveryProvenPlace(TestServer server) throws Exception {
        with(server, same -> {
            same.fansOut("SELECT COUNT(*) FROM t_hash WHERE id IN (?, 5, ?, -3)", integer(5), bigint(8));
            same.fansOut("SELECT COUNT(*) FROM t_hash WHERE ci NOT IN (?, 'Z')", text("beta"));
            same.fansOut(
                    "SELECT COUNT(*) FROM t_hash WHERE id BETWEEN ? AND ? AND g = ?",
                    integer(5),
                    integer(99),
                    integer(3));
            same.fansOut(
                    "SELECT COUNT(*) FROM t_hash WHERE id NOT BETWEEN 5 AND ? OR ci LIKE ?", integer(99), text("a%_"));
            same.fansOut(
                    "SELECT COUNT(*) FROM t_hash t WHERE (t.id > ? AND NOT (g = ?)) AND ci NOT LIKE ?",
                    integer(9),
                    tiny(2),
                    text("A%"));
            same.fansOut("SELECT id FROM t_hash ORDER BY id LIMIT ? OFFSET ?", integer(9), bigint(4));
            same.fansOut(
                    "SELECT id FROM t_hash WHERE id > ? ORDER BY id LIMIT ?, ?", integer(-7), integer(3), bigint(11));
            same.fansOut(
                    "SELECT d.name, COUNT(*) FROM t_hash t JOIN dim d ON t.g = d.k AND d.w > ? WHERE t.id < ?"
                            + " GROUP BY d.name ORDER BY 1",
                    integer(7),
                    integer(300));
            same.fansOut(
                    "SELECT COUNT(*) FROM t_hash WHERE g IN (SELECT k FROM dim WHERE w > ? AND name <> ?)",
                    integer(10),
                    text("four"));
            same.fansOut(
                    "SELECT COUNT(*), MAX(n) FROM (SELECT g, COUNT(*) AS n FROM t_hash WHERE id < ? GROUP BY g) x",
                    integer(250));
            same.fansOut(
                    "WITH x AS (SELECT k FROM dim) SELECT COUNT(*) FROM t_hash WHERE id < ? AND g IN (SELECT k FROM x)",
                    integer(250));
            same.fansOut(
                    "SELECT g, COUNT(*) FROM t_hash WHERE id < ? GROUP BY g UNION ALL SELECT p, MAX(id) FROM t_list"
                            + " WHERE ci = ? GROUP BY p ORDER BY 1, 2",
                    integer(250),
                    text("beta"));
            same.fansOut("SELECT '?', COUNT(*) /* ? */ FROM t_hash -- ?\n WHERE id < ? AND ci <> '?\\'?'", integer(40));
        });
    }

    @AllServers
    void nothingIsAssumedOfOtherPlaces(TestServer server) throws Exception {
        with(server, same -> {
            Parameter one = integer(1);
            same.passesThrough(Reason.PARAMETER, "SELECT SUM(id) + ? FROM t_hash", one);
            same.passesThrough(Reason.PARAMETER, "SELECT ?, COUNT(*) FROM t_hash", one);
            same.passesThrough(Reason.PARAMETER, "SELECT COUNT(*) FROM t_hash WHERE id + 1 = ?", one);
            same.passesThrough(Reason.PARAMETER, "SELECT COUNT(*) FROM t_hash WHERE id = ? + 1", one);
            same.passesThrough(Reason.PARAMETER, "SELECT COUNT(*) FROM t_hash WHERE id = -?", one);
            same.passesThrough(Reason.PARAMETER, "SELECT COUNT(*) FROM t_hash WHERE ABS(id) = ?", one);
            same.passesThrough(Reason.PARAMETER, "SELECT COUNT(*) FROM t_hash WHERE id = g = ?", one);
            same.passesThrough(Reason.PARAMETER, "SELECT COUNT(*) FROM t_hash WHERE id BETWEEN 1 AND g = ?", one);
            same.passesThrough(Reason.PARAMETER, "SELECT COUNT(*) FROM t_hash WHERE ? = id", one);
            same.passesThrough(Reason.PARAMETER, "SELECT COUNT(*) FROM t_hash WHERE id IN (g, ?)", one);
            same.passesThrough(Reason.PARAMETER, "SELECT COUNT(*) FROM t_hash WHERE id IN ('5', ?)", one);
            same.passesThrough(Reason.PARAMETER, "SELECT COUNT(*) FROM t_hash WHERE ci LIKE ? ESCAPE '|'", text("a%"));
            same.passesThrough(Reason.PARAMETER, "SELECT g, COUNT(*) FROM t_hash GROUP BY g HAVING COUNT(*) > ?", one);
            same.passesThrough(
                    Reason.PARAMETER, "SELECT COUNT(*) FROM (SELECT g + 1 AS h FROM t_hash) x WHERE h = ?", one);
            same.passesThrough(
                    Reason.PARAMETER, "SELECT CASE WHEN g = ? THEN 1 ELSE 2 END, COUNT(*) FROM t_hash GROUP BY 1", one);
        });
    }

    /** See also {@link ParameterValuesIT}. */
    @AllServers
    void nothingIsAssumedOfOtherValues(TestServer server) throws Exception {
        with(server, same -> {
            for (String column : List.of("d", "dt")) {
                for (String day : List.of("2001-2-3", "2001-02-30", "20010203", "x", "2001-02-03T04:05:06")) {
                    assertThat(same.outcomeOnce(count(column), text(day)).fannedOut())
                            .as("%s beside %s", day, column)
                            .isFalse();
                }
            }
            refused(same, count("d"), date(2001, 2, 30));
            refused(same, count("d"), date(0, 0, 0));
            refused(same, count("d"), integer(20010203));
            refused(same, count("dec1"), decimal("abc"));
            refused(same, count("dec1"), decimal("-1e5"));
            refused(same, "SELECT id FROM t_hash ORDER BY id LIMIT ?", text("5"));
            refused(same, "SELECT id FROM t_hash ORDER BY id LIMIT ?", integer(-1));
            refused(same, "SELECT id FROM t_hash ORDER BY id LIMIT ?", nothing());
        });
    }

    private static void refused(SameInBinary same, String sql, Parameter value) throws Exception {
        assertThat(same.outcomeOnce(sql, value).reason()).as("%s", sql).isEqualTo(Reason.PARAMETER);
    }

    private static String count(String column) {
        return "SELECT COUNT(*) FROM t_hash WHERE " + column + " >= ?";
    }
}
