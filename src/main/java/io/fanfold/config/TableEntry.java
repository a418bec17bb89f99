package io.fanfold.config;

import io.fanfold.config.FanOutConfig.Approximate;
import io.fanfold.config.FilterConfig.Dynamic;
import io.fanfold.config.SnapshotConfig.Consistency;
import io.fanfold.config.SnapshotConfig.TableLocks;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings of some tables. A null setting has its value in {@code fan-out}. Immutable.
 *
 * @param name the tables
 * @param enabled whether they are split
 * @param degree see {@link FanOutConfig#degree}
 * @param minRows see {@link FanOutConfig#minRows}
 * @param consistency see {@link SnapshotConfig#consistency}
 * @param tableLocks see {@link SnapshotConfig#tableLocks}
 * @param approximate see {@link FanOutConfig#approximate}
 * @param dynamicFilters see {@link FilterConfig#dynamic}
 */
public record TableEntry(
        TablePattern name,
        @Nullable Boolean enabled,
        @Nullable Integer degree,
        @Nullable Long minRows,
        @Nullable Consistency consistency,
        @Nullable TableLocks tableLocks,
        @Nullable Approximate approximate,
        @Nullable Dynamic dynamicFilters) {

    /** Returns the settings for splitting these tables. */
    public FanOutConfig over(FanOutConfig fanOut) {
        SnapshotConfig snapshots = fanOut.snapshots();
        return new FanOutConfig(
                Objects.requireNonNullElse(enabled, fanOut.enabled()),
                Objects.requireNonNullElse(degree, fanOut.degree()),
                Objects.requireNonNullElse(minRows, fanOut.minRows()),
                snapshots
                        .with(Objects.requireNonNullElse(consistency, snapshots.consistency()))
                        .with(Objects.requireNonNullElse(tableLocks, snapshots.tableLocks())),
                fanOut.splitPlainCount(),
                Objects.requireNonNullElse(approximate, fanOut.approximate()),
                fanOut.filters()
                        .with(Objects.requireNonNullElse(
                                dynamicFilters, fanOut.filters().dynamic())),
                fanOut.transactions(),
                fanOut.catalogRefresh());
    }

    /**
     * Returns the settings for splitting another table in a statement that also reads one of these: this entry's
     * restrictions apply too.
     */
    public FanOutConfig forbidding(FanOutConfig split) {
        SnapshotConfig snapshots = split.snapshots();
        return new FanOutConfig(
                split.enabled(),
                split.degree(),
                split.minRows(),
                snapshots
                        .with(consistency == Consistency.STRICT ? consistency : snapshots.consistency())
                        .with(tableLocks == TableLocks.REFUSE ? tableLocks : snapshots.tableLocks()),
                split.splitPlainCount(),
                approximate == Approximate.REFUSE ? approximate : split.approximate(),
                dynamicFilters == Dynamic.OFF ? split.filters().with(dynamicFilters) : split.filters(),
                split.transactions(),
                split.catalogRefresh());
    }
}
