package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.plan.ExplainedTable;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectReader;
import io.fanfold.sql.SqlDialect;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The orders are the ones that MariaDB 10.11.18 returned; see also the statements of SplitIT. */
class WindowOrderTest {
    private static final List<ExplainedTable> BY_INDEX = plan(1, "Using index; Using temporary");
    private static final List<ExplainedTable> SORTED = plan(1, "Using temporary; Using filesort");

    private static final String GROUPS = "SELECT a, RANK() OVER (ORDER BY a DESC) FROM t GROUP BY a ORDER BY a";

    private static List<ExplainedTable> plan(int select, String extra) {
        return List.of(new ExplainedTable(select, "t", List.of("p0"), "", 100, extra));
    }

    private static SelectModel read(String sql) {
        ScheduledThreadPoolExecutor watchdog = new ScheduledThreadPoolExecutor(1);
        try {
            return new SelectReader(watchdog)
                    .read(sql, new SqlDialect(ServerFlavor.MARIADB, false, false, StandardCharsets.UTF_8))
                    .select()
                    .orElseThrow();
        } catch (RefusedException e) {
            throw new AssertionError(sql, e);
        } finally {
            watchdog.shutdownNow();
        }
    }

    @Test
    void groupsSortedByAnIndexAreNotSortedAgainAfterWindows() {
        assertThatThrownBy(() -> WindowOrder.refuse(read(GROUPS), BY_INDEX)).isInstanceOf(RefusedException.class);
        assertThatThrownBy(() -> WindowOrder.refuse(read(GROUPS), List.of())).isInstanceOf(RefusedException.class);
        assertThatThrownBy(() -> WindowOrder.refuse(read(GROUPS), plan(2, "Using filesort")))
                .isInstanceOf(RefusedException.class);
        assertThatCode(() -> WindowOrder.refuse(read(GROUPS), SORTED)).doesNotThrowAnyException();
    }

    @Test
    void groupsOfDifferentValuesAreSortedBeforeWindowsAre() {
        String distinct = GROUPS.replace("a, RANK", "COUNT(DISTINCT b), RANK");
        assertThatThrownBy(() -> WindowOrder.refuse(read(distinct), SORTED)).isInstanceOf(RefusedException.class);
        assertThatCode(() -> WindowOrder.refuse(read(distinct.replace(" ORDER BY a", "")), SORTED))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a, RANK() OVER (ORDER BY a DESC) FROM t GROUP BY a",
                "SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY a",
                "SELECT a, RANK() OVER (ORDER BY a DESC) FROM t WHERE b > 1 ORDER BY a"
            })
    void othersHaveNoSuchOrder(String sql) {
        assertThatCode(() -> WindowOrder.refuse(read(sql), BY_INDEX)).doesNotThrowAnyException();
    }
}
