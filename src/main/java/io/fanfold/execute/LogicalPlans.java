package io.fanfold.execute;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.fanfold.catalog.CatalogSnapshot;
import io.fanfold.catalog.TableSettings;
import io.fanfold.config.HeapShares;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.SqlDialect;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Caches logical plans within a limit of bytes. Each statement is planned twice, and the planner takes about a millisecond
 * in a process that has just started, and a tenth of that later. Refusals are not cached here. Safe for all threads.
 */
final class LogicalPlans {
    /** The approximate size of a plan without its text; each character of the text adds the bytes below. */
    private static final int BASE_BYTES = 512;

    /** A plan takes about 15 bytes of heap for each character, and the statement that it keeps up to 36. */
    private static final int BYTES_PER_CHARACTER = 52;

    /**
     * What a plan is made from, beside the tables.
     *
     * @param schema the session's default database; null if there is none or it is not known
     * @param settings those of the statement's account
     */
    record PlanKey(String sql, SqlDialect dialect, @Nullable String schema, TableSettings settings) {
        /** Leaves the settings out: they may have thousands of tables, and are mostly the same objects. */
        @Override
        public int hashCode() {
            return Objects.hash(sql, dialect, schema);
        }

        private int bytes() {
            return BASE_BYTES + BYTES_PER_CHARACTER * sql.length();
        }
    }

    /** Makes a plan. */
    @FunctionalInterface
    interface Planning {
        LogicalStatement plan() throws RefusedException;
    }

    private record MadePlan(CatalogSnapshot tables, LogicalStatement logical) {}

    private final Cache<PlanKey, MadePlan> plans = Caffeine.newBuilder()
            .maximumWeight(HeapShares.ofThisProcess().cache())
            .weigher((PlanKey key, MadePlan plan) -> key.bytes())
            .executor(Runnable::run)
            .build();

    /**
     * Returns the plan that was made from the same tables, or makes it.
     *
     * @param tables the catalog that {@code planning} uses
     */
    LogicalStatement get(PlanKey key, CatalogSnapshot tables, Planning planning) throws RefusedException {
        MadePlan known = plans.getIfPresent(key);
        if (known != null && known.tables() == tables) {
            return known.logical();
        }
        LogicalStatement logical = planning.plan();
        plans.put(key, new MadePlan(tables, logical));
        return logical;
    }
}
