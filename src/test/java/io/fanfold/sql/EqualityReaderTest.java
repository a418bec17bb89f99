package io.fanfold.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.RefusedException;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EqualityReaderTest {
    private static final SqlDialect MYSQL = new SqlDialect(ServerFlavor.MYSQL, false, false, StandardCharsets.UTF_8);

    private static final ScheduledExecutorService WATCHDOG = Executors.newSingleThreadScheduledExecutor();

    @AfterAll
    static void end() {
        WATCHDOG.shutdownNow();
    }

    private static List<String> inCondition(String condition) {
        return inStatement("ON " + condition);
    }

    private static List<String> inStatement(String joins) {
        try {
            return names(new SelectReader(WATCHDOG)
                    .read("SELECT 1 FROM t JOIN u " + joins, MYSQL)
                    .select()
                    .orElseThrow()
                    .equalities());
        } catch (RefusedException e) {
            throw new AssertionError(joins, e);
        }
    }

    private static List<String> names(List<SelectModel.Equality> equalities) {
        return equalities.stream()
                .map(equality -> name(equality.left()) + " = " + name(equality.right())
                        + (equality.chooses().isEmpty()
                                ? ""
                                : " of " + equality.chooses().size()))
                .toList();
    }

    private static String name(Expr.ColumnRef column) {
        return (column.qualifier() == null ? "" : column.qualifier() + ".") + column.name();
    }

    @Test
    void equalitiesJoinedByAndOnlyHold() throws RefusedException {
        assertThat(inCondition("t.k = u.k AND t.a > 1 AND b = `c d` AND (db.t.e = f AND (g = u.h))"))
                .containsExactly("t.k = u.k", "b = c d", "db.t.e = f", "g = u.h");
        assertThat(inCondition("(t.k) = u.k AND t.a BETWEEN 1 AND 2 AND t.c = u.c AND u.d IN (1, 2)"))
                .containsExactly("t.c = u.c");
        assertThat(inCondition("(t.b = 2 OR t.c = u.c) AND t.d = u.d")).containsExactly("t.d = u.d");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "t.k = u.k OR t.a = 1",
                "t.a = 1 AND t.k = u.k OR t.b = 2",
                "NOT t.k = u.k",
                "NOT (t.k = u.k)",
                "(t.k = u.k) = 1",
                "1 = (t.k = u.k)",
                "(t.k = u.k) IS NULL",
                "(t.k) = u.k",
                "t.k <=> u.k",
                "t.k = u.k + 1",
                "CASE WHEN t.a = 1 AND t.k = u.k AND t.b THEN 1 ELSE 0 END",
                "IF(t.k = u.k, 1, 0) = 1",
                "t.k = 1",
                "t.k = 'u.k'"
            })
    void nothingElseDoes(String condition) throws RefusedException {
        assertThat(inCondition(condition)).isEmpty();
    }

    /**
     * The condition of an outer join holds only for the rows that it joins. So it selects rows of the nullable side
     * only.
     */
    @Test
    void conditionsOfOuterJoinsChooseRows() {
        assertThat(inStatement("ON t.k = u.k AND t.b = 1 WHERE t.a = u.a")).containsExactly("t.k = u.k", "t.a = u.a");
        assertThat(inStatement("ON t.a = u.a LEFT JOIN v ON t.k = u.k WHERE t.b = u.b"))
                .containsExactly("t.a = u.a", "t.k = u.k of 1", "t.b = u.b");
        assertThat(inStatement("ON t.a = u.a LEFT JOIN (v JOIN w ON v.c = w.c) ON t.k = w.k"))
                .containsExactly("t.a = u.a", "v.c = w.c", "t.k = w.k of 2");
        assertThat(inStatement("ON t.a = u.a RIGHT JOIN v ON t.k = v.k"))
                .containsExactly("t.a = u.a", "t.k = v.k of 2");
    }

    @Test
    void columnsOfUsingAreEqualInTheTablesOfBothSides() {
        assertThat(inStatement("USING (k, `l`)")).containsExactly("t.k = u.k", "t.l = u.l");
        assertThat(inStatement("x USING (k) LEFT JOIN (v, w) USING (m)"))
                .containsExactly("t.k = x.k", "t.m = v.m of 2", "t.m = w.m of 2", "x.m = v.m of 2", "x.m = w.m of 2");
    }
}
