package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.TableSettings;
import io.fanfold.config.FanOutConfig;
import io.fanfold.execute.LogicalPlans.PlanKey;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.plan.Sample;
import io.fanfold.plan.SplitPlanner;
import io.fanfold.plan.rule.Rules;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.SqlDialect;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LogicalPlansTest {
    private static final FanOutConfig SETTINGS = FanOutConfig.defaults();
    private static final SplitPlanner PLANNER = new SplitPlanner(ServerFlavor.MYSQL, new Rules());

    private final LogicalPlans plans = new LogicalPlans();
    private final CatalogSnapshot tables = read();
    private int planned;

    private static CatalogSnapshot read() {
        return Sample.catalog(Sample.table("s", "t", 5));
    }

    private LogicalStatement get(PlanKey key, CatalogSnapshot catalog) throws RefusedException {
        return plans.get(key, catalog, () -> {
            planned++;
            return Sample.analyze(PLANNER, "SELECT COUNT(*) FROM t", "s", catalog);
        });
    }

    private static PlanKey key(String sql, boolean ansiQuotes, @Nullable String schema, FanOutConfig settings) {
        return new PlanKey(
                sql,
                new SqlDialect(ServerFlavor.MYSQL, ansiQuotes, false, StandardCharsets.UTF_8),
                schema,
                TableSettings.ofAll(settings));
    }

    @Test
    void aStatementIsPlannedOnce() throws RefusedException {
        LogicalStatement first = get(key("a", false, "s", SETTINGS), tables);
        assertThat(get(key("a", false, "s", SETTINGS), tables)).isSameAs(first);
        assertThat(planned).isEqualTo(1);
    }

    @Test
    void whateverAPlanDependsOnIsPlannedAgain() throws RefusedException {
        get(key("a", false, "s", SETTINGS), tables);
        get(key("b", false, "s", SETTINGS), tables);
        get(key("a", true, "s", SETTINGS), tables);
        get(key("a", false, "other", SETTINGS), tables);
        get(key("a", false, null, SETTINGS), tables);
        get(key("a", false, "s", SETTINGS.withSplitPlainCount(!SETTINGS.splitPlainCount())), tables);
        assertThat(planned).as("text, dialect, schema, settings").isEqualTo(6);

        CatalogSnapshot later = read();
        LogicalStatement again = get(key("a", false, "s", SETTINGS), later);
        assertThat(planned).as("tables").isEqualTo(7);
        assertThat(get(key("a", false, "s", SETTINGS), later)).isSameAs(again);
    }

    @Test
    void aRefusalIsMadeEachTime() {
        for (int i = 1; i <= 2; i++) {
            assertThatThrownBy(() -> plans.get(key("a", false, "s", SETTINGS), tables, () -> {
                        planned++;
                        throw new RefusedException(Reason.HINT, "NO_PARALLEL");
                    }))
                    .isInstanceOf(RefusedException.class);
            assertThat(planned).isEqualTo(i);
        }
    }
}
