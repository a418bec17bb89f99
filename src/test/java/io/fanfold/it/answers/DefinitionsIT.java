package io.fanfold.it.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.client.SameAsServer;
import io.fanfold.it.support.data.TestDatabase;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Compares complete column definitions and status flags: of key expressions, which servers announce as fields of
 * temporary tables, and of aggregates next to keys.
 */
class DefinitionsIT {
    private static final String NAME = "it_definitions";

    /** The internal GROUP flag, and a column that is NOT NULL without a default. */
    private static final int GROUP = 1 << 15;

    private static final int NO_DEFAULT = 1 << 12;

    private static final TestDatabase DATABASE = new TestDatabase(NAME, admin -> {
        admin.execute(
                "CREATE TABLE t (id INT PRIMARY KEY, tx TEXT, j JSON, tm TIME, da DATE, dt DATETIME, de DECIMAL(10,2),"
                        + " n INT, vc VARCHAR(20), dbl DOUBLE, bi BIGINT, t1 TINYINT, y YEAR, e ENUM('a','b'), st SET('a','b'),"
                        + " bl BLOB, u INT UNSIGNED NOT NULL, INDEX (bi)) PARTITION BY HASH (id) PARTITIONS 3");
        for (int i = 0; i < 12; i++) {
            int k = i % 3;
            admin.execute(
                    "INSERT INTO t VALUES (" + i + ",'t" + k + "','{\"a\":" + k + "}','10:11:12','2020-01-0" + (k + 1)
                            + "','2020-01-0" + (k + 1) + " 10:10:10'," + k + ".5," + k + ",'v" + k + "'," + k + "," + k
                            + "," + k
                            + ",2020,'a','b','x" + k + "'," + k + ")");
        }
        admin.query("ANALYZE TABLE t");
    });

    private static final List<String> KEYS = List.of(
            "CAST(tx AS CHAR)",
            "HEX(tx)",
            "JSON_EXTRACT(j,'$.a')",
            "JSON_UNQUOTE(JSON_EXTRACT(j,'$.a'))",
            "HOUR(tm)",
            "MINUTE(tm)",
            "SECOND(tm)",
            "MICROSECOND(tm)",
            "TO_DAYS(da)",
            "-de",
            "-(de+1)",
            "((-de))",
            "-de/2",
            "-n",
            "n+1",
            "YEAR(da)",
            "YEAR(da)+1",
            "(YEAR(da))",
            "MONTH(da)",
            "DAY(da)",
            "DAYOFMONTH(da)",
            "DAYOFWEEK(da)",
            "DAYOFYEAR(da)",
            "QUARTER(da)",
            "WEEK(da)",
            "WEEK(da,3)",
            "WEEKOFYEAR(da)",
            "WEEKDAY(da)",
            "YEARWEEK(da)",
            "EXTRACT(YEAR FROM da)",
            "EXTRACT(MONTH FROM da)",
            "EXTRACT(DAY FROM da)",
            "EXTRACT(YEAR_MONTH FROM da)",
            "EXTRACT(QUARTER FROM da)",
            "EXTRACT(HOUR FROM tm)",
            "UPPER(vc)",
            "CONCAT(vc,'x')",
            "LEFT(vc,3)",
            "vc",
            "da",
            "n",
            "de",
            "dbl",
            "bi",
            "t1",
            "y",
            "e",
            "st",
            "u",
            "u+1",
            "DATE(dt)",
            "de*2",
            "ROUND(de,1)",
            "FLOOR(de)",
            "IFNULL(n,0)",
            "COALESCE(vc,'z')",
            "CASE WHEN n>1 THEN 'a' ELSE 'b' END",
            "n>1",
            "n%2",
            "LENGTH(tx)",
            "CHAR_LENGTH(vc)",
            "DATE_FORMAT(da,'%Y')",
            "CAST(n AS CHAR)",
            "CAST(vc AS BINARY)",
            "TRIM(vc)",
            "REPLACE(vc,'a','b')",
            "SUBSTRING(tx,1,2)",
            "REVERSE(tx)",
            "LOWER(tx)",
            "dbl+1",
            "UNIX_TIMESTAMP(dt)",
            "DATEDIFF(da,'2020-01-01')",
            "LAST_DAY(da)",
            "ABS(n)",
            "SIGN(n)",
            "n DIV 2",
            "n/2",
            "-bi",
            "t1+0",
            "DAYNAME(da)",
            "TIME(dt)",
            "FROM_DAYS(n)",
            "HEX(bl)",
            "HEX(vc)",
            "IF(n>1,n,2)",
            "NULLIF(n,1)",
            "GREATEST(n,t1)",
            "CAST(de AS SIGNED)",
            "u % '3'");

    private static final List<String> BESIDE_KEYS = List.of(
            "COUNT(*)",
            "COUNT(tx)",
            "COUNT(DISTINCT n)",
            "SUM(n)",
            "SUM(de)",
            "SUM(dbl)",
            "AVG(n)",
            "AVG(dbl)",
            "AVG(de)",
            "MIN(n)",
            "MAX(t1)",
            "MIN(bi)",
            "MIN(vc)",
            "MIN(da)",
            "MAX(dt)",
            "MIN(tm)",
            "MAX(y)",
            "MIN(dbl)",
            "MAX(de)",
            "MIN(n+1)",
            "MAX(UPPER(vc))",
            "MIN(HOUR(tm))",
            "MAX(u)",
            "BIT_AND(n)",
            "STD(n)",
            "SUM(n)+1",
            "COUNT(*)*2",
            "CONCAT(MAX(vc),'x')",
            "IFNULL(SUM(n),0)",
            "SUM(n)/COUNT(*)",
            "ROUND(AVG(de),2)",
            "5",
            "'x'",
            "1.5",
            "COUNT(*)>1",
            "MIN(n)+MAX(n)",
            "COALESCE(MIN(n),0)");

    private static final List<String> WITH_KEYS = List.of(
            "SELECT %s AS k, COUNT(*) FROM t GROUP BY k",
            "SELECT %s AS k, SUM(n) FROM t GROUP BY k ORDER BY k",
            "SELECT DISTINCT %s AS k FROM t",
            "SELECT %s AS k, COUNT(*) AS c FROM t GROUP BY k HAVING c > 0",
            "SELECT %s AS k, COUNT(*) FROM t WHERE n < 5 GROUP BY k, n",
            "SELECT %s AS k, id FROM t WHERE n < 5 ORDER BY k, id LIMIT 3",
            "SELECT %s AS k, RANK() OVER (ORDER BY id) FROM t WHERE n < 5",
            "SELECT %s AS k, COUNT(*), RANK() OVER (ORDER BY COUNT(*)) FROM t GROUP BY k",
            "SELECT %s AS k, n, COUNT(*) FROM t GROUP BY k, n ORDER BY COUNT(*), k, n",
            "SELECT %s AS k FROM t");

    private static final List<String> WITH_AGGREGATES = List.of(
            "SELECT n, %s AS k FROM t GROUP BY n",
            "SELECT %s AS k FROM t GROUP BY n ORDER BY n", "SELECT %s AS k FROM t");

    @AllServers
    void definitionsAndStatusAreThoseOfTheServer(TestServer server) throws Exception {
        List<String> wrong = new ArrayList<>();
        int split = 0;
        int asked = 0;
        ServerFlavor flavor = server.kind();
        try (SameAsServer same = DATABASE.compared(server, ProxySetup.ofDegree(3));
                WireConnection direct = same.proxy().direct();
                WireConnection proxied = same.proxy().proxied()) {
            direct.execute("USE " + NAME);
            proxied.execute("USE " + NAME);
            for (String sql : statements()) {
                same.proxy().forget();
                Reply expected = direct.pipeline(List.of(sql)).get(0);
                Reply actual = proxied.pipeline(List.of(sql)).get(0);
                asked++;
                split += same.proxy().outcome().fannedOut() ? 1 : 0;
                String differences = differences(shown(expected, flavor), shown(actual, flavor));
                if (!differences.isEmpty()) {
                    wrong.add(sql + ": " + differences);
                }
            }
        }
        assertThat(wrong).as("%d statements, %d split", asked, split).isEmpty();
        assertThat(split).as("split of %d", asked).isGreaterThan(asked * 3 / 4);
    }

    private static List<String> statements() {
        List<String> statements = new ArrayList<>();
        for (String form : WITH_KEYS) {
            KEYS.forEach(key -> statements.add(String.format(Locale.ROOT, form, key)));
        }
        for (String form : WITH_AGGREGATES) {
            BESIDE_KEYS.forEach(item -> statements.add(String.format(Locale.ROOT, form, item)));
        }
        return statements;
    }

    private static List<String> shown(Reply reply, ServerFlavor flavor) {
        List<String> lines = new ArrayList<>();
        if (reply instanceof Reply.Result result) {
            result.columns().forEach(column -> lines.add(shown(column, flavor).toString()));
            lines.add("status " + Integer.toHexString(result.status()));
        } else {
            lines.add(reply.toString());
        }
        return lines;
    }

    /**
     * Removes known differences (docs/clients.md): an internal flag, a flag of MIN and MAX, and the length of MIN and
     * MAX of DOUBLE.
     */
    private static Column shown(Column column, ServerFlavor flavor) {
        Column shown = column.withFlags(column.flags() & ~(GROUP | NO_DEFAULT));
        boolean varies = flavor.isMariaDb() && column.computed() && column.type() == ColumnType.DOUBLE;
        return varies ? shown.withLength(0) : shown;
    }

    private static String differences(List<String> expected, List<String> actual) {
        List<String> different = new ArrayList<>();
        for (int i = 0; i < Math.max(expected.size(), actual.size()); i++) {
            String one = i < expected.size() ? expected.get(i) : "nothing";
            String other = i < actual.size() ? actual.get(i) : "nothing";
            if (!one.equals(other)) {
                different.add(other + " instead of " + one);
            }
        }
        return String.join("; ", different);
    }
}
