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
    void onMariaDbOnlyLengthsOfFloatsAreCorrected() throws Exception {
        Column minMax = new Column("", "", "", "x", "", 63, 23, ColumnType.FLOAT, 0, 31);
        SelectModel model = read("SELECT MIN(f), a FROM t GROUP BY a");
        List<byte[]> definitions = List.of(definition(minMax), definition(integer("a", 9)));
        List<Column> columns = List.of(minMax, integer("a", 9));
        assertThat(PlanDependentTypes.ofMariaDb(model, definitions, columns, PLAIN, collation -> 4, true))
                .isEqualTo(definitions);
        List<byte[]> kept = PlanDependentTypes.ofMariaDb(model, definitions, columns, TEMPORARY, collation -> 4, true);
        assertThat(kept.get(1)).isEqualTo(definitions.get(1));
        assertThat(kept.get(0)).isEqualTo(definition(new Column("", "", "", "x", "", 63, 12, ColumnType.FLOAT, 0, 31)));
    }

    @Test
    void onMariaDbTextsMayDependOnTheValuesOfSubqueries() throws Exception {
        Column text = new Column("", "", "", "x", "", 45, 80, ColumnType.VAR_STRING, 0, 0);
        List<Column> columns = List.of(text);
        List<byte[]> definitions = List.of(definition(text));
        SelectModel model = read("SELECT MIN(e) FROM t WHERE id <= (SELECT MAX(b) FROM u) GROUP BY a");
        assertThatThrownBy(() ->
                        PlanDependentTypes.ofMariaDb(model, definitions, columns, TEMPORARY, collation -> 4, true))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.PLAN_TYPES));
        for (String sql : List.of(
                "SELECT MIN(e) FROM t GROUP BY a", "SELECT e FROM t WHERE id <= (SELECT MAX(b) FROM u) GROUP BY e")) {
            assertThat(PlanDependentTypes.ofMariaDb(read(sql), definitions, columns, TEMPORARY, collation -> 4, true))
                    .hasSize(1);
        }
    }

    /** The version and the lengths are measured, see {@code PlanDependentTypes.DATE_PARTS}. */
    @Test
    void partsOfDatesOfLaterMariaDbHaveRoomForASign() throws Exception {
        for (String sql : List.of(
                "SELECT YEAR(d), DAYOFWEEK(d) FROM t GROUP BY 1, 2",
                "SELECT EXTRACT(YEAR_MONTH FROM d), EXTRACT(DAY FROM d) FROM t GROUP BY 1, 2",
                "SELECT x.c, x.e FROM (SELECT TO_DAYS(d) AS c, TIMESTAMPDIFF(DAY, d, e) AS e FROM t) x GROUP BY x.c, x.e")) {
            SelectModel model = read(sql);
            List<Column> columns = List.of(integer("", 4), integer("", 4));
            List<byte[]> definitions = List.of(definition(columns.get(0)), definition(columns.get(1)));
            List<byte[]> later =
                    PlanDependentTypes.ofMariaDb(model, definitions, columns, TEMPORARY, collation -> 4, true);
            assertThat(later).as(sql).containsExactly(definition(integer("", 5)), definition(integer("", 4)));
            for (boolean signed : List.of(false, true)) {
                List<ExplainedTable> plan = signed ? PLAIN : TEMPORARY;
                assertThat(PlanDependentTypes.ofMariaDb(model, definitions, columns, plan, collation -> 4, signed))
                        .as(sql)
                        .isEqualTo(definitions);
            }
        }
    }

    /** MySQL 8.0.31; 9.7.4 announces the type of the field in PREPARE already. */
    @Test
    void datesInFieldsAreNoStrings() throws Exception {
        Column prepared = new Column("", "", "", "x", "", 45, 56, ColumnType.TIME, 0, 3);
        Column field = new Column("", "", "", "x", "", 63, 14, ColumnType.TIME, Column.Flags.BINARY, 3);
        for (String sql : List.of(
                "SELECT MAX(tm) FROM t GROUP BY a",
                "SELECT x.c FROM (SELECT COALESCE(tm, 1) AS c FROM t) x GROUP BY x.c")) {
            assertThat(corrected(sql, TEMPORARY, prepared)).as(sql).containsExactly(definition(field));
            assertThat(corrected(sql, PLAIN, prepared)).as(sql).containsExactly(definition(prepared));
        }
        assertThat(PlanDependentTypes.ofSetOperation(List.of(definition(prepared)), List.of(prepared)))
                .containsExactly(definition(field));
        refuses(
                "SELECT t.d, COUNT(*) FROM t JOIN d ON t.a = d.k GROUP BY t.d WITH ROLLUP",
                TEMPORARY,
                Reason.ROLLUP,
                prepared,
                integer("", 21));
        assertThatThrownBy(() -> corrected("SELECT MAX(tm) FROM t GROUP BY a", List.of(), prepared))
                .isInstanceOf(RefusedException.class);
    }

    private static List<byte[]> corrected(String sql, List<ExplainedTable> explained, Column prepared)
            throws Exception {
        return PlanDependentTypes.corrected(read(sql), List.of(definition(prepared)), List.of(prepared), explained);
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
