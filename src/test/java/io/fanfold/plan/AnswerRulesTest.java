package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.rule.Rules;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.row.Column;
import io.fanfold.row.Column.Flags;
import io.fanfold.row.ColumnType;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The rules over PREPARE's columns; {@link WindowOrderTest} tests the one over the plan. */
class AnswerRulesTest {
    private static final Column INTEGER = computed(ColumnType.LONGLONG, 21, 0, 0);
    private static final Column DECIMAL = computed(ColumnType.NEWDECIMAL, 14, 0, 2);

    /** A decimal of 65 digits. */
    private static final Column FULL = computed(ColumnType.NEWDECIMAL, 67, 0, 30);

    private static final Column BIT = computed(ColumnType.BIT, 10, Flags.UNSIGNED, 0);
    private static final Column FLOAT = computed(ColumnType.FLOAT, 23, 0, 31);
    private static final Column CHAR = Sample.column("x", ColumnType.STRING, 45, 12, 0, 0);

    private static final String JOINED = "SELECT IFNULL(t.a, d.b) FROM t JOIN d ON t.c = d.k";
    private static final String OVER = " FROM t GROUP BY a WINDOW w AS (ORDER BY a)";

    private static Column computed(ColumnType type, long length, int flags, int decimals) {
        return Sample.column("x", type, Column.BINARY_COLLATION, length, flags, decimals);
    }

    private static Column stored(Column column) {
        return new Column(
                "s",
                "t",
                "t",
                "x",
                "x",
                column.collationId(),
                column.length(),
                column.type(),
                column.flags(),
                column.decimals());
    }

    private static PreparedAnswer answer(String sql, ServerFlavor flavor, Column... columns) {
        return new PreparedAnswer(Optional.of(Sample.read(sql)), false, false, List.of(columns), List.of(), flavor);
    }

    private static void splits(PreparedAnswer answer) {
        assertThat(Rules.ofAnswer(answer)).isEmpty();
    }

    private static void splits(String sql, Column... columns) {
        for (ServerFlavor flavor : ServerFlavor.values()) {
            splits(answer(sql, flavor, columns));
        }
    }

    private static void refuses(PreparedAnswer answer, String detail) {
        assertThat(Rules.ofAnswer(answer).map(Refusal::reason)).contains(Reason.PLAN_TYPES);
        assertThat(Rules.ofAnswer(answer).map(Refusal::detail)).contains(detail);
    }

    private static void refuses(String sql, String detail, Column... columns) {
        for (ServerFlavor flavor : ServerFlavor.values()) {
            refuses(answer(sql, flavor, columns), detail);
        }
    }

    private static void refusesOnlyOn(ServerFlavor flavor, String sql, String detail, Column... columns) {
        refuses(answer(sql, flavor, columns), detail);
        splits(answer(sql, flavor.isMySql() ? ServerFlavor.MARIADB : ServerFlavor.MYSQL, columns));
    }

    @Test
    void approximateNumbersBesideSumsOutsideAreRefused() {
        String sql = "SELECT AVG(dbl) FROM d WHERE k > (SELECT COUNT(*) FROM t)";
        for (ServerFlavor flavor : ServerFlavor.values()) {
            PreparedAnswer beside = new PreparedAnswer(
                    Optional.of(Sample.read(sql)), true, true, List.of(INTEGER, FLOAT), List.of(), flavor);
            assertThat(Rules.ofAnswer(beside))
                    .contains(new Refusal(Reason.APPROXIMATE, "x beside a sum outside of the split block"));
            splits(new PreparedAnswer(beside.select(), true, false, beside.columns(), List.of(), flavor));
            splits(new PreparedAnswer(beside.select(), true, true, List.of(INTEGER, stored(FLOAT)), List.of(), flavor));
        }
    }

    @Test
    void theAnswerOfAStatementKnowsItsSums() {
        LogicalStatement logical = Sample.analyze(
                new SplitPlanner(ServerFlavor.MYSQL, new Rules()),
                "SELECT AVG(d.k) FROM d WHERE k > (SELECT COUNT(*) FROM t)",
                "db",
                Sample.catalog(Sample.table("db", "t", 1000)));
        PreparedAnswer answer = PreparedAnswer.of(logical, List.of(FLOAT), List.of(), ServerFlavor.MYSQL);
        assertThat(answer.embedded()).isTrue();
        assertThat(answer.sumsOutside()).isTrue();
        assertThat(Rules.ofAnswer(answer).map(Refusal::reason)).contains(Reason.APPROXIMATE);
    }

    private static PreparedAnswer setOperation(ServerFlavor flavor, Column... columns) {
        return new PreparedAnswer(Optional.empty(), false, false, List.of(columns), List.of(), flavor);
    }

    @Test
    void doubtfulTypesOutOfSetOperationsAreRefused() {
        Column unsigned = Sample.column("x", ColumnType.VAR_STRING, 45, 40, Flags.UNSIGNED, 0);
        Column binary = computed(ColumnType.STRING, 4, Flags.BINARY, 0);
        for (ServerFlavor flavor : ServerFlavor.values()) {
            refuses(setOperation(flavor, CHAR, binary), "a BINARY out of a set operation");
            splits(setOperation(flavor, CHAR, INTEGER));
        }
        refuses(setOperation(ServerFlavor.MYSQL, CHAR, unsigned), "an unsigned text out of a set operation");
        splits(setOperation(ServerFlavor.MARIADB, CHAR, unsigned));
        splits("SELECT a FROM t", unsigned);
        splits("SELECT bin FROM t", stored(binary));
    }

    /** A temporary table truncates a computed BIT, in every plan. */
    @Test
    void computedBitsAreRefusedOnMySql() {
        String sql = "SELECT IF(a, bt, c) FROM t ORDER BY a";
        refusesOnlyOn(ServerFlavor.MYSQL, sql, "the computed BIT x", BIT);
        splits("SELECT bt FROM t ORDER BY a", stored(BIT));
    }

    @Test
    void framedBitsAreRefusedOnMariaDb() {
        for (ServerFlavor flavor : ServerFlavor.values()) {
            PreparedAnswer embedded = new PreparedAnswer(
                    Optional.of(Sample.read("SELECT bt FROM t")), true, false, List.of(stored(BIT)), List.of(), flavor);
            if (flavor.isMariaDb()) {
                refuses(embedded, "a BIT in a statement around the split block");
            } else {
                splits(embedded);
            }
        }
        splits("SELECT bt FROM t", stored(BIT));
    }

    /** A temporary table truncates decimals above the maximum precision, and a join may sort its rows in one. */
    @Test
    void fullDecimalsThatMayComeFromATemporaryTableAreRefused() {
        String detail = "a computed decimal with all the digits there are";
        refuses(JOINED + " ORDER BY t.c", detail, FULL);
        splits(JOINED + " ORDER BY t.c", stored(FULL));
        splits(JOINED + " ORDER BY t.c", FULL.withLength(66));
        splits(JOINED, FULL);
        splits(JOINED + " GROUP BY 1 ORDER BY 1", FULL);
        splits("SELECT IFNULL(a, b) FROM t ORDER BY c", FULL);
        refuses("SELECT MAX(b) * 100.0, COUNT(*) OVER w" + OVER, detail, FULL, INTEGER);
        splits("SELECT MAX(b) * 100.0, COUNT(*) FROM t GROUP BY a", FULL, INTEGER);
    }

    /** A statement of FuzzIT: the temporary table of window functions gives every value the scale of the type. */
    @Test
    void chosenDecimalsBesideWindowsOverGroupsAreRefusedOnMySql() {
        for (String chosen :
                List.of("IF(a, MAX(b), a)", "1 + COALESCE(MAX(b), a)", "CASE WHEN a > 1 THEN MAX(b) ELSE 1 END")) {
            String sql = "SELECT " + chosen + ", COUNT(*) OVER w" + OVER;
            refusesOnlyOn(ServerFlavor.MYSQL, sql, "a decimal that is chosen, x", DECIMAL, INTEGER);
            splits(sql, INTEGER, INTEGER);
        }
        splits("SELECT MAX(b) + 1, COUNT(*) OVER w" + OVER, DECIMAL, INTEGER);
        splits("SELECT IF(a, MAX(b), a) FROM t GROUP BY a", DECIMAL);
    }

    /** Also after a star, since the select list does not tell which column is which. */
    @Test
    void sortedJoinsShowNoFloatsThatATemporaryTableOfMariaDbCuts() {
        Column floor = computed(ColumnType.DOUBLE, 17, 0, 0);
        Column open = computed(ColumnType.DOUBLE, 22, 0, 31);
        for (String items : List.of("FLOOR(t.a)", "t.*, FLOOR(t.a)")) {
            String joined = "SELECT " + items + " FROM t JOIN d ON t.c = d.k";
            String sorted = joined + " ORDER BY t.c";
            refuses(sorted, "a computed decimal with all the digits there are", FULL);
            refusesOnlyOn(ServerFlavor.MARIADB, sorted, "the computed floating-point number x", floor);
            splits(sorted, open);
            splits(sorted, stored(floor));
            splits(joined, floor);
        }
    }

    @Test
    void computedCharsAreRefusedOnMariaDb() {
        String sql = "SELECT NULLIF(c, 'x') FROM t GROUP BY 1";
        refusesOnlyOn(ServerFlavor.MARIADB, sql, "the computed CHAR x", CHAR);
        splits(sql, Sample.text("x", 45));
        splits("SELECT c FROM t GROUP BY 1", CHAR);
    }

    @Test
    void theLengthOfAFloatBesideDistinctAggregatesIsUnknownOnMariaDb() {
        String sql = "SELECT MIN(f) FROM t GROUP BY a";
        for (String rest : List.of(" HAVING COUNT(DISTINCT b) > 1", " ORDER BY COUNT(DISTINCT b)")) {
            refusesOnlyOn(ServerFlavor.MARIADB, sql + rest, "the length of the FLOAT x", FLOAT);
            splits(sql + rest, computed(ColumnType.DOUBLE, 23, 0, 31));
        }
        splits(sql, FLOAT);
        splits("SELECT SUM(f) FROM t GROUP BY a HAVING COUNT(DISTINCT b) > 1", FLOAT);
        splits("SELECT f FROM t GROUP BY f HAVING COUNT(DISTINCT b) > 1", FLOAT);
        String max = "SELECT MAX(f) FROM t GROUP BY a HAVING COUNT(DISTINCT b) > 1";
        refusesOnlyOn(ServerFlavor.MARIADB, max, "the length of the FLOAT x", FLOAT);
    }

    private static final ExplainedTable TEMPORARY =
            new ExplainedTable(1, "t", List.of("p0"), "", 100, "Using temporary");
    private static final ExplainedTable PLAIN = new ExplainedTable(1, "t", List.of("p0"), "", 100, "");

    private static PreparedAnswer explained(
            String sql, ServerFlavor flavor, List<ExplainedTable> explained, Column... columns) {
        return new PreparedAnswer(Optional.of(Sample.read(sql)), false, false, List.of(columns), explained, flavor);
    }

    /** A plan that is not known may have a temporary table. */
    private static void refusesOutOfTemporaryTables(String sql, String detail, Column column) {
        for (List<ExplainedTable> plan : List.of(List.<ExplainedTable>of(), List.of(TEMPORARY))) {
            refuses(explained(sql, ServerFlavor.MYSQL, plan, column), detail);
            splits(explained(sql, ServerFlavor.MARIADB, plan, column));
        }
        splits(explained(sql, ServerFlavor.MYSQL, List.of(PLAIN), column));
    }

    @Test
    void derivedTablesOfWhichSomeWereMergedAreRefusedOnMySql() {
        String detail = "derived tables beside others, or not merged";
        String derived = "SELECT x.c FROM (SELECT a DIV 2 AS c FROM t) x";
        refusesOutOfTemporaryTables(derived + " JOIN d ON x.c = d.k GROUP BY x.c", detail, INTEGER);
        splits(explained(derived + " GROUP BY x.c", ServerFlavor.MYSQL, List.of(TEMPORARY), INTEGER));
        ExplainedTable inner = new ExplainedTable(2, "t", List.of("p0"), "", 100, "");
        refuses(explained(derived + " GROUP BY x.c", ServerFlavor.MYSQL, List.of(TEMPORARY, inner), INTEGER), detail);
        splits(explained(
                "SELECT x.* FROM (SELECT a AS c, b FROM t) x JOIN d ON x.c = d.k GROUP BY x.c",
                ServerFlavor.MYSQL,
                List.of(TEMPORARY),
                INTEGER,
                INTEGER));
    }

    @Test
    void windowsAndJoinedRollupsUseTemporaryTablesUnseen() {
        String derived = " FROM (SELECT a DIV 2 AS c FROM t) x JOIN d ON x.c = d.k";
        String detail = "derived tables beside others, or not merged";
        refuses(
                explained("SELECT RANK() OVER (ORDER BY x.c)" + derived, ServerFlavor.MYSQL, List.of(PLAIN), INTEGER),
                detail);
        refuses(
                explained(
                        "SELECT x.c" + derived + " GROUP BY x.c WITH ROLLUP",
                        ServerFlavor.MYSQL,
                        List.of(PLAIN),
                        INTEGER),
                detail);
    }

    @Test
    void columnsOfDerivedTablesThatWereNotMeasuredAreRefusedOnMySql() {
        Column year = Sample.column("y", ColumnType.YEAR, 63, 4, 0, 0);
        String groups = " FROM (SELECT MIN(y) AS y FROM t GROUP BY a) x GROUP BY x.y";
        refusesOutOfTemporaryTables("SELECT x.y" + groups, "a YEAR out of a derived table", year);
        splits(explained("SELECT x.y" + groups, ServerFlavor.MYSQL, List.of(TEMPORARY), INTEGER));
        String counts = "(SELECT COUNT(*) AS n FROM t GROUP BY a) x";
        refusesOutOfTemporaryTables(
                "SELECT DISTINCT z.n + 1 FROM (SELECT x.n FROM " + counts + ") z",
                "a derived table over a derived table",
                INTEGER);
        splits(explained("SELECT DISTINCT x.n + 1 FROM " + counts, ServerFlavor.MYSQL, List.of(TEMPORARY), INTEGER));
    }

    @Test
    void extremesOfRollupKeysAreRefusedOnMySqlIfTheyAreShort() {
        Column year = Sample.column("y", ColumnType.YEAR, 63, 4, 0, 0);
        Column wide = Sample.column("y", ColumnType.LONGLONG, 63, 20, 0, 0);
        String rollup = "SELECT MAX(y) FROM t GROUP BY a, Y WITH ROLLUP ORDER BY a";
        refusesOutOfTemporaryTables(rollup, "MIN or MAX of a key of ROLLUP", year);
        splits(explained(rollup, ServerFlavor.MYSQL, List.of(TEMPORARY), wide));
        splits(explained(rollup, ServerFlavor.MARIADB, List.of(TEMPORARY), year));
        for (String other : List.of(
                "SELECT MAX(y) FROM t GROUP BY a, y",
                "SELECT MAX(y) FROM t GROUP BY a WITH ROLLUP ORDER BY a",
                "SELECT MAX(y + 1) FROM t GROUP BY y WITH ROLLUP ORDER BY y")) {
            splits(explained(other, ServerFlavor.MYSQL, List.of(TEMPORARY), year));
        }
    }
}
