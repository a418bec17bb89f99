package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.plan.ExplainedTable;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectReader;
import io.fanfold.sql.SqlDialect;
import io.fanfold.wire.ServerFlavor;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The types are the ones that MySQL 9.7.4 returned; see also the statements of SplitIT. */
class PlanDependentTypesTest {
    private static final List<ExplainedTable> TEMPORARY =
            List.of(new ExplainedTable(1, "t", List.of("p0"), "", 100, "Using temporary"));
    private static final List<ExplainedTable> PLAIN = List.of(new ExplainedTable(1, "t", List.of("p0"), "", 100, ""));

    @Test
    void withoutATemporaryTableTheTypesArePreparedOnes() throws Exception {
        assertThat(types("SELECT a + 1, COUNT(*) FROM t GROUP BY a + 1", PLAIN, integer("", 3), integer("", 21)))
                .containsExactly(ColumnType.LONGLONG, ColumnType.LONGLONG);
    }

    @Test
    void computedIntegersAreReadFromFieldsByTheirLength() throws Exception {
        assertThat(types(
                        "SELECT a + 1, a * b, a FROM t GROUP BY a + 1, a * b, a",
                        TEMPORARY,
                        integer("", 9),
                        integer("", 10),
                        integer("a", 9)))
                .containsExactly(ColumnType.LONG, ColumnType.LONGLONG, ColumnType.LONGLONG);
    }

    @Test
    void computedTextIsReturnedAsVarchar() throws Exception {
        assertThat(types("SELECT CONCAT(s) FROM t GROUP BY 1", TEMPORARY, text()))
                .containsExactly(ColumnType.VAR_STRING);
    }

    @Test
    void extremesOfColumnsStayAndOfExpressionsWiden() throws Exception {
        Column tiny = new Column("", "", "", "x", "", 63, 4, ColumnType.TINY, 0, 0);
        assertThat(types("SELECT MIN(a), MIN(a DIV 1) FROM t GROUP BY b", TEMPORARY, tiny, tiny))
                .containsExactly(ColumnType.TINY, ColumnType.LONGLONG);
    }

    @Test
    void windowsOverRowsAlwaysKeepThem() throws Exception {
        assertThat(types(
                        "SELECT a + 1, a, LAG(a) OVER (ORDER BY b), RANK() OVER (ORDER BY b) FROM t WHERE c > 5",
                        PLAIN,
                        integer("", 5),
                        integer("a", 4),
                        integer("", 4),
                        integer("", 21)))
                .containsExactly(ColumnType.LONG, ColumnType.LONGLONG, ColumnType.LONG, ColumnType.LONGLONG);
    }

    @Test
    void windowCallsAreKeptAndWithoutAKnownTableRefused() throws Exception {
        String sql = "SELECT a, RANK() OVER (ORDER BY COUNT(*)) FROM t GROUP BY a";
        assertThat(types(sql, TEMPORARY, integer("a", 21), integer("", 21)))
                .containsExactly(ColumnType.LONGLONG, ColumnType.LONGLONG);
        refuses(
                "SELECT a, RANK() OVER (ORDER BY COUNT(*)) FROM t GROUP BY a",
                PLAIN,
                Reason.WINDOW,
                integer("a", 21),
                integer("", 5));
    }

    /** A temporary table truncates a computed BIT, in every plan. */
    @Test
    void computedBitsAreRefused() throws Exception {
        Column bit = new Column("", "", "", "x", "", 63, 10, ColumnType.BIT, Column.Flags.UNSIGNED, 0);
        Column own = new Column("s", "t", "t", "bt", "bt", 63, 10, ColumnType.BIT, Column.Flags.UNSIGNED, 0);
        refuses("SELECT IF(a, bt, c) FROM t ORDER BY a", PLAIN, Reason.PLAN_TYPES, bit);
        assertThat(types("SELECT bt FROM t ORDER BY a", PLAIN, own)).containsExactly(ColumnType.BIT);
    }

    /** A temporary table truncates decimals above the maximum precision, and a join may sort its rows in one. */
    @Test
    void fullDecimalsOfSortedJoinsAreRefused() throws Exception {
        Column full = new Column("", "", "", "x", "", 63, 67, ColumnType.NEWDECIMAL, 0, 30);
        Column shorter = new Column("", "", "", "x", "", 63, 66, ColumnType.NEWDECIMAL, 0, 30);
        Column own = new Column("s", "t", "t", "a", "a", 63, 67, ColumnType.NEWDECIMAL, 0, 30);
        String joined = "SELECT IFNULL(t.a, d.b) FROM t JOIN d ON t.c = d.k";
        refuses(joined + " ORDER BY t.c", PLAIN, Reason.PLAN_TYPES, full);
        for (Column column : List.of(shorter, own)) {
            assertThat(types(joined + " ORDER BY t.c", PLAIN, column)).containsExactly(ColumnType.NEWDECIMAL);
        }
        assertThat(types(joined, PLAIN, full)).containsExactly(ColumnType.NEWDECIMAL);
        assertThat(types("SELECT IFNULL(a, b) FROM t ORDER BY c", PLAIN, full)).containsExactly(ColumnType.NEWDECIMAL);
        assertThat(types("SELECT IFNULL(t.a, d.b) FROM t JOIN d ON t.c = d.k GROUP BY 1 ORDER BY 1", PLAIN, full))
                .containsExactly(ColumnType.NEWDECIMAL);
    }

    /** A statement of FuzzIT: the temporary table of window functions gives every value the scale of the type. */
    @Test
    void chosenDecimalsBesideWindowsOverGroupsAreRefused() throws Exception {
        Column decimal = new Column("", "", "", "x", "", 63, 14, ColumnType.NEWDECIMAL, 0, 2);
        Column full = new Column("", "", "", "x", "", 63, 67, ColumnType.NEWDECIMAL, 0, 31);
        String over = " FROM t GROUP BY a WINDOW w AS (ORDER BY a)";
        for (String chosen :
                List.of("IF(a, MAX(b), a)", "1 + COALESCE(MAX(b), a)", "CASE WHEN a > 1 THEN MAX(b) ELSE 1 END")) {
            refuses(
                    "SELECT " + chosen + ", COUNT(*) OVER w" + over,
                    TEMPORARY,
                    Reason.PLAN_TYPES,
                    decimal,
                    integer("", 21));
        }
        refuses("SELECT MAX(b) * 100.0, COUNT(*) OVER w" + over, TEMPORARY, Reason.PLAN_TYPES, full, integer("", 21));
        assertThat(types("SELECT MAX(b) + 1, COUNT(*) OVER w" + over, TEMPORARY, decimal, integer("", 21)))
                .containsExactly(ColumnType.NEWDECIMAL, ColumnType.LONGLONG);
        assertThat(types("SELECT IF(a, MAX(b), a) FROM t GROUP BY a", TEMPORARY, decimal))
                .containsExactly(ColumnType.NEWDECIMAL);
    }

    @Test
    void rollupOverAJoinIsRefusedIfAKeyIsAnInteger() {
        refuses(
                "SELECT t.a, COUNT(*) FROM t JOIN d ON t.a = d.k GROUP BY t.a WITH ROLLUP",
                TEMPORARY,
                Reason.ROLLUP,
                integer("a", 11),
                integer("", 21));
        refuses(
                "SELECT t.a, COUNT(*) FROM t JOIN d ON t.a = d.k GROUP BY t.a WITH ROLLUP",
                PLAIN,
                Reason.ROLLUP,
                integer("a", 11),
                integer("", 21));
    }

    @Test
    void mergedDerivedTablesHaveTheirOwnRules() throws Exception {
        assertThat(types(
                        "SELECT x.c, MAX(x.c) FROM (SELECT a DIV 2 AS c FROM t) x GROUP BY x.c",
                        TEMPORARY,
                        integer("", 5),
                        integer("", 5)))
                .containsExactly(ColumnType.LONG, ColumnType.LONGLONG);
    }

    @Test
    void mergedBesideOthersAreRefused() {
        refuses(
                "SELECT x.c FROM (SELECT a DIV 2 AS c FROM t) x JOIN d ON x.c = d.k GROUP BY x.c",
                TEMPORARY,
                Reason.PLAN_TYPES,
                integer("", 5));
    }

    @Test
    void unmeasuredTypesOverDerivedTablesAreRefused() {
        Column year = new Column("", "", "", "y", "", 63, 4, ColumnType.YEAR, 0, 0);
        refuses(
                "SELECT x.y FROM (SELECT MIN(y) AS y FROM t GROUP BY a) x GROUP BY x.y",
                TEMPORARY,
                Reason.PLAN_TYPES,
                year);
        refuses(
                "SELECT DISTINCT z.n + 1 FROM (SELECT x.n FROM (SELECT COUNT(*) AS n FROM t GROUP BY a) x) z",
                TEMPORARY,
                Reason.PLAN_TYPES,
                integer("", 21));
    }

    @Test
    void doubtfulTypesOutOfSetOperationsAreRefused() throws Exception {
        Column unsigned = new Column("", "", "", "x", "", 45, 40, ColumnType.VAR_STRING, Column.Flags.UNSIGNED, 0);
        Column fixed = new Column("", "", "", "x", "", 63, 4, ColumnType.STRING, Column.Flags.BINARY, 0);
        for (ServerFlavor flavor : ServerFlavor.values()) {
            refuses(() -> PlanDependentTypes.requireCertain(List.of(text(), fixed), flavor));
            PlanDependentTypes.requireCertain(List.of(text(), integer("", 9)), flavor);
        }
        refuses(() -> PlanDependentTypes.requireCertain(List.of(text(), unsigned), ServerFlavor.MYSQL));
        PlanDependentTypes.requireCertain(List.of(text(), unsigned), ServerFlavor.MARIADB);
    }

    @Test
    void onMariaDbOnlyLengthsOfFloatsAreCorrected() throws Exception {
        Column minMax = new Column("", "", "", "x", "", 63, 23, ColumnType.FLOAT, 0, 31);
        SelectModel model = read("SELECT MIN(f), a FROM t GROUP BY a");
        List<byte[]> definitions = List.of(definition(minMax), definition(integer("a", 9)));
        List<Column> columns = List.of(minMax, integer("a", 9));
        assertThat(PlanDependentTypes.ofMariaDb(model, false, definitions, columns, PLAIN, collation -> 4))
                .isEqualTo(definitions);
        List<byte[]> kept = PlanDependentTypes.ofMariaDb(model, false, definitions, columns, TEMPORARY, collation -> 4);
        assertThat(kept.get(1)).isEqualTo(definitions.get(1));
        assertThat(kept.get(0)).isEqualTo(definition(new Column("", "", "", "x", "", 63, 12, ColumnType.FLOAT, 0, 31)));
    }

    /** Also after a star, since the select list does not tell which column is which. */
    @Test
    void onMariaDbSortedJoinsShowNoComputedNumbersThatATemporaryTableCuts() throws Exception {
        Column full = new Column("", "", "", "x", "", 63, 67, ColumnType.NEWDECIMAL, 0, 30);
        Column floor = new Column("", "", "", "x", "", 63, 17, ColumnType.DOUBLE, 0, 0);
        Column open = new Column("", "", "", "x", "", 63, 22, ColumnType.DOUBLE, 0, 31);
        Column own = new Column("s", "t", "t", "a", "a", 63, 22, ColumnType.DOUBLE, 0, 2);
        for (String items : List.of("f(t.a)", "t.*, f(t.a)")) {
            SelectModel sorted =
                    read("SELECT " + items.replace("f(", "FLOOR(") + " FROM t JOIN d ON t.c = d.k ORDER BY t.c");
            for (Column cut : List.of(full, floor)) {
                refuses(() -> PlanDependentTypes.ofMariaDb(
                        sorted, false, List.of(definition(cut)), List.of(cut), PLAIN, collation -> 4));
            }
            for (Column kept : List.of(open, own)) {
                assertThat(PlanDependentTypes.ofMariaDb(
                                sorted, false, List.of(definition(kept)), List.of(kept), PLAIN, collation -> 4))
                        .hasSize(1);
            }
        }
        SelectModel unsorted = read("SELECT FLOOR(t.a) FROM t JOIN d ON t.c = d.k");
        assertThat(PlanDependentTypes.ofMariaDb(
                        unsorted, false, List.of(definition(floor)), List.of(floor), PLAIN, collation -> 4))
                .hasSize(1);
    }

    @Test
    void onMariaDbTheLengthOfAFloatBesideDistinctAggregatesIsUnknown() throws Exception {
        Column minMax = new Column("", "", "", "x", "", 63, 23, ColumnType.FLOAT, 0, 31);
        List<byte[]> definitions = List.of(definition(minMax));
        for (String rest : List.of(" HAVING COUNT(DISTINCT b) > 1", " ORDER BY COUNT(DISTINCT b)")) {
            SelectModel model = read("SELECT MIN(f) FROM t GROUP BY a" + rest);
            refuses(() -> PlanDependentTypes.ofMariaDb(
                    model, false, definitions, List.of(minMax), TEMPORARY, collation -> 4));
        }
    }

    @Test
    void onMariaDbComputedCharsAndFramedBitsAreRefused() throws Exception {
        Column fixed = new Column("", "", "", "x", "", 45, 12, ColumnType.STRING, 0, 0);
        Column bit = new Column("", "", "", "x", "x", 63, 1, ColumnType.BIT, Column.Flags.UNSIGNED, 0);
        SelectModel computed = read("SELECT NULLIF(c, 'x') FROM t GROUP BY 1");
        refuses(() -> PlanDependentTypes.ofMariaDb(
                computed, false, List.of(definition(fixed)), List.of(fixed), PLAIN, collation -> 4));
        SelectModel shown = read("SELECT b FROM t");
        assertThat(PlanDependentTypes.ofMariaDb(
                        shown, false, List.of(definition(bit)), List.of(bit), PLAIN, collation -> 4))
                .hasSize(1);
        refuses(() -> PlanDependentTypes.ofMariaDb(
                shown, true, List.of(definition(bit)), List.of(bit), PLAIN, collation -> 4));
    }

    private static void refuses(ThrowingCallable asked) {
        assertThatThrownBy(asked)
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        abandoned -> assertThat(abandoned.reason()).isEqualTo(Reason.PLAN_TYPES));
    }

    private static void refuses(String sql, List<ExplainedTable> explained, Reason reason, Column... columns) {
        assertThatThrownBy(() -> types(sql, explained, columns))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        abandoned -> assertThat(abandoned.reason()).isEqualTo(reason));
    }

    private static List<ColumnType> types(String sql, List<ExplainedTable> explained, Column... columns)
            throws Exception {
        List<byte[]> definitions = new ArrayList<>();
        for (Column column : columns) {
            definitions.add(definition(column));
        }
        List<ColumnType> types = new ArrayList<>();
        for (byte[] payload : PlanDependentTypes.corrected(read(sql), definitions, List.of(columns), explained)) {
            types.add(ColumnType.ofCode(payload[TYPE_AT] & 0xff));
        }
        return types;
    }

    /** The type follows six empty names, the collation and the length. */
    private static final int TYPE_AT = 6 + 1 + 2 + 4;

    private static byte[] definition(Column column) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[6]);
        out.writeBytes(ByteBuffer.allocate(13)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) 12)
                .putShort((short) column.collationId())
                .putInt((int) column.length())
                .put((byte) column.type().code())
                .putShort((short) column.flags())
                .put((byte) column.decimals())
                .array());
        return out.toByteArray();
    }

    private static Column integer(String orgName, long length) {
        return new Column("", "", "", "x", orgName, 63, length, ColumnType.LONGLONG, 0, 0);
    }

    private static Column text() {
        return new Column("", "", "", "x", "", 45, 40, ColumnType.STRING, 0, 0);
    }

    private static SelectModel read(String sql) {
        ScheduledThreadPoolExecutor watchdog = new ScheduledThreadPoolExecutor(1);
        try {
            return new SelectReader(watchdog)
                    .read(sql, new SqlDialect(ServerFlavor.MYSQL, false, false, StandardCharsets.UTF_8))
                    .select()
                    .orElseThrow();
        } catch (RefusedException e) {
            throw new AssertionError(sql, e);
        } finally {
            watchdog.shutdownNow();
        }
    }
}
