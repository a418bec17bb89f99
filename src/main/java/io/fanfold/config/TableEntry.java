package io.fanfold.config;

import io.fanfold.config.FanOutConfig.Approximate;
import io.fanfold.config.FanOutConfig.KeyRanges;
import io.fanfold.config.FanOutConfig.Mode;
import io.fanfold.config.FilterConfig.Dynamic;
import io.fanfold.config.ReplicaReads.ReadFrom;
import io.fanfold.config.ReuseConfig.Reuse;
import io.fanfold.config.SnapshotConfig.Consistency;
import io.fanfold.config.SnapshotConfig.TableLocks;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings of some tables. A null setting has its value in {@code fan-out}. Immutable.
 *
 * @param name the tables
 * @param mode see {@link FanOutConfig#mode}
 * @param degree see {@link FanOutConfig#degree}
 * @param minRows see {@link FanOutConfig#minRows}
 * @param consistency see {@link SnapshotConfig#consistency}
 * @param tableLocks see {@link SnapshotConfig#tableLocks}
 * @param keyRanges see {@link FanOutConfig#keyRanges}
 * @param approximate see {@link FanOutConfig#approximate}
 * @param dynamicFilters see {@link FilterConfig#dynamic}
 * @param reuse see {@link ReuseConfig#mode}
 * @param readFrom see {@link ReplicaReads#from}
 * @param verifyShare see {@link FanOutConfig#verifyShare}
 */
@RecordBuilder
public record TableEntry(
        TablePattern name,
        @Nullable Mode mode,
        @Nullable Integer degree,
        @Nullable Long minRows,
        @Nullable Consistency consistency,
        @Nullable TableLocks tableLocks,
        @Nullable KeyRanges keyRanges,
        @Nullable Approximate approximate,
        @Nullable Dynamic dynamicFilters,
        @Nullable Reuse reuse,
        @Nullable ReadFrom readFrom,
        @Nullable Double verifyShare)
        implements TableEntryBuilder.With {

    /** Returns the settings for splitting these tables. */
    public FanOutConfig over(FanOutConfig fanOut) {
        SnapshotConfig snapshots = fanOut.snapshots();
        return FanOutConfigBuilder.builder(fanOut)
                .mode(Objects.requireNonNullElse(mode, fanOut.mode()))
                .degree(Objects.requireNonNullElse(degree, fanOut.degree()))
                .autoDegree(degree == null && fanOut.autoDegree())
                .minRows(Objects.requireNonNullElse(minRows, fanOut.minRows()))
                .snapshots(snapshots
                        .withConsistency(Objects.requireNonNullElse(consistency, snapshots.consistency()))
                        .withTableLocks(Objects.requireNonNullElse(tableLocks, snapshots.tableLocks())))
                .keyRanges(Objects.requireNonNullElse(keyRanges, fanOut.keyRanges()))
                .approximate(Objects.requireNonNullElse(approximate, fanOut.approximate()))
                .filters(fanOut.filters()
                        .withDynamic(Objects.requireNonNullElse(
                                dynamicFilters, fanOut.filters().dynamic())))
                .reuse(fanOut.reuse()
                        .withMode(
                                Objects.requireNonNullElse(reuse, fanOut.reuse().mode())))
                .replicas(fanOut.replicas()
                        .withFrom(Objects.requireNonNullElse(
                                readFrom, fanOut.replicas().from())))
                .verifyShare(Objects.requireNonNullElse(verifyShare, fanOut.verifyShare()))
                .build();
    }

    /**
     * Returns the settings for splitting another table in a statement that also reads one of these: this entry's
     * restrictions apply too.
     */
    public FanOutConfig forbidding(FanOutConfig split) {
        SnapshotConfig snapshots = split.snapshots();
        return FanOutConfigBuilder.builder(split)
                .snapshots(snapshots
                        .withConsistency(consistency == Consistency.STRICT ? consistency : snapshots.consistency())
                        .withTableLocks(tableLocks == TableLocks.REFUSE ? tableLocks : snapshots.tableLocks()))
                .approximate(approximate == Approximate.REFUSE ? approximate : split.approximate())
                .filters(dynamicFilters == Dynamic.OFF ? split.filters().withDynamic(dynamicFilters) : split.filters())
                .reuse(reuse == Reuse.OFF ? split.reuse().withMode(reuse) : split.reuse())
                .replicas(readFrom == ReadFrom.PRIMARY ? split.replicas().withFrom(ReadFrom.PRIMARY) : split.replicas())
                .build();
    }
}
