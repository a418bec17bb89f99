package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.rule.Rules;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Optional;
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

    private static Optional<Reason> refusal(ServerFlavor flavor, String sql, List<ExplainedTable> explained) {
        return Rules.ofAnswer(
                        new PreparedAnswer(Optional.of(Sample.read(sql)), false, false, List.of(), explained, flavor))
                .map(Refusal::reason);
    }

    private static Optional<Reason> refusal(String sql, List<ExplainedTable> explained) {
        return refusal(ServerFlavor.MARIADB, sql, explained);
    }

    @Test
    void groupsSortedByAnIndexAreNotSortedAgainAfterWindows() {
        assertThat(refusal(GROUPS, BY_INDEX)).contains(Reason.WINDOW);
        assertThat(refusal(GROUPS, List.of())).contains(Reason.WINDOW);
        assertThat(refusal(GROUPS, plan(2, "Using filesort"))).contains(Reason.WINDOW);
        assertThat(refusal(GROUPS, SORTED)).isEmpty();
        assertThat(refusal(ServerFlavor.MYSQL, GROUPS, BY_INDEX)).isEmpty();
    }

    @Test
    void groupsOfDifferentValuesAreSortedBeforeWindowsAre() {
        String distinct = GROUPS.replace("a, RANK", "COUNT(DISTINCT b), RANK");
        assertThat(refusal(distinct, SORTED)).contains(Reason.WINDOW);
        assertThat(refusal(distinct.replace(" ORDER BY a", ""), SORTED)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a, RANK() OVER (ORDER BY a DESC) FROM t GROUP BY a",
                "SELECT a, COUNT(*) FROM t GROUP BY a ORDER BY a",
                "SELECT a, RANK() OVER (ORDER BY a DESC) FROM t WHERE b > 1 ORDER BY a"
            })
    void othersHaveNoSuchOrder(String sql) {
        assertThat(refusal(sql, BY_INDEX)).isEmpty();
    }
}
