package io.fanfold.config;

import io.fanfold.config.FilterConfig.Dynamic;
import io.fanfold.config.ReuseConfig.Reuse;
import io.fanfold.config.SnapshotConfig.Consistency;
import io.fanfold.config.SnapshotConfig.TableLocks;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * Which statements are split, and how.
 *
 * @param mode whether statements are split
 * @param degree the most worker connections of one query, 1..1000
 * @param autoDegree whether Fanfold finds the degree itself; {@code degree} is then what it has found
 * @param cores how many long statements keep all cores of the server busy: as many cores as Fanfold has counted, or the degree
 *     if it is set
 * @param minRows statements with fewer estimated rows are passed through, 0 or more; 0 turns the cost comparison off
 * @param snapshots requirements on the workers' snapshots
 * @param splitPlainCount whether an unfiltered COUNT(*) is split on MySQL without a hint; InnoDB alone reads it in
 *     parallel
 * @param keyRanges whether tables are split by ranges of a key
 * @param approximate the treatment of aggregates whose digits depend on the row order, such as sums of DOUBLE
 * @param filters settings of dynamic filters
 * @param reuse settings of reuse
 * @param replicas which servers are read
 * @param transactions settings of statements inside transactions
 * @param catalogRefresh how often the list of partitioned tables is read again
 * @param verifyShare the share of split statements that are verified, 0 to 1, see {@link VerifyConfig}
 */
@RecordBuilder
public record FanOutConfig(
        Mode mode,
        int degree,
        boolean autoDegree,
        int cores,
        long minRows,
        SnapshotConfig snapshots,
        boolean splitPlainCount,
        KeyRanges keyRanges,
        Approximate approximate,
        FilterConfig filters,
        ReuseConfig reuse,
        ReplicaReads replicas,
        TransactionConfig transactions,
        Duration catalogRefresh,
        double verifyShare)
        implements FanOutConfigBuilder.With {

    /** The message for the key that the mode has replaced. */
    static final String NO_ENABLED = "no such key (expected: mode: on, observe or off)";

    /** The largest valid degree. */
    static final int MOST_DEGREE = 1000;

    /** Whether statements are split; from less to more. */
    public enum Mode {
        /** They are passed through. */
        OFF,
        /** They are passed through, and Fanfold counts what a split would gain. */
        OBSERVE,
        ON;

        /** Returns the one that does less. */
        public Mode least(Mode other) {
            return compareTo(other) <= 0 ? this : other;
        }
    }

    /** Whether tables without partitions, and large partitions, are split by ranges of a key. */
    public enum KeyRanges {
        ON,
        OFF
    }

    /** The treatment of aggregates whose last digits depend on the order in which rows are added. */
    public enum Approximate {
        /** They are passed through, unless the statement's hint allows them. */
        REFUSE,
        /** They are split. */
        ALLOW
    }

    public static FanOutConfig defaults() {
        return new FanOutConfig(
                Mode.ON,
                8,
                true,
                8,
                50_000,
                SnapshotConfig.defaults(),
                false,
                KeyRanges.ON,
                Approximate.REFUSE,
                FilterConfig.defaults(),
                ReuseConfig.defaults(),
                ReplicaReads.defaults(),
                TransactionConfig.defaults(),
                Duration.ofSeconds(5),
                0);
    }

    /** The degree in the file's notation. */
    public String degreeText() {
        return autoDegree ? "auto" : Integer.toString(degree);
    }

    /** Returns these settings with a degree that Fanfold does not change. */
    @Override
    public FanOutConfig withDegree(int other) {
        return FanOutConfigBuilder.builder(this)
                .degree(other)
                .autoDegree(false)
                .cores(other)
                .build();
    }

    /** Returns these settings with the degree that Fanfold has found, and the cores that it has counted. */
    FanOutConfig withFoundDegree(int found, int counted) {
        return FanOutConfigBuilder.builder(this).degree(found).cores(counted).build();
    }

    /**
     * Returns the settings for one statement that splits several tables, each with its own settings. They have the
     * largest degree, the largest number of rows and the largest share to verify, and allow only what all tables allow.
     *
     * @param tables at least one
     */
    public static FanOutConfig together(List<FanOutConfig> tables) {
        FanOutConfig first = tables.get(0);
        return FanOutConfigBuilder.builder(first)
                .mode(tables.stream().map(FanOutConfig::mode).reduce(Mode.ON, Mode::least))
                .degree(tables.stream().mapToInt(FanOutConfig::degree).max().orElseThrow())
                .cores(tables.stream().mapToInt(FanOutConfig::cores).max().orElseThrow())
                .minRows(tables.stream().mapToLong(FanOutConfig::minRows).max().orElseThrow())
                .snapshots(first.snapshots
                        .withConsistency(
                                all(tables, table -> table.snapshots.consistency() == Consistency.RELAXED)
                                        ? Consistency.RELAXED
                                        : Consistency.STRICT)
                        .withTableLocks(strictestLocks(tables)))
                .keyRanges(all(tables, table -> table.keyRanges == KeyRanges.ON) ? KeyRanges.ON : KeyRanges.OFF)
                .approximate(
                        all(tables, table -> table.approximate == Approximate.ALLOW)
                                ? Approximate.ALLOW
                                : Approximate.REFUSE)
                .filters(
                        all(tables, table -> table.filters.dynamic() == Dynamic.ON)
                                ? first.filters
                                : first.filters.withDynamic(Dynamic.OFF))
                .reuse(
                        all(tables, table -> table.reuse.mode() == Reuse.ON)
                                ? first.reuse
                                : first.reuse.withMode(Reuse.OFF))
                .replicas(first.replicas.withFrom(tables.stream()
                        .map(table -> table.replicas.from())
                        .min(Comparator.naturalOrder())
                        .orElseThrow()))
                .verifyShare(tables.stream()
                        .mapToDouble(FanOutConfig::verifyShare)
                        .max()
                        .orElseThrow())
                .build();
    }

    /**
     * Returns the most permissive settings of several tables, for use before it is known which of them is split. Only
     * settings that decide whether a statement is analyzed further are meaningful.
     *
     * @param tables at least one
     */
    public static FanOutConfig loosest(List<FanOutConfig> tables) {
        FanOutConfig first = tables.get(0);
        return FanOutConfigBuilder.builder(first)
                .mode(tables.stream()
                        .map(FanOutConfig::mode)
                        .max(Comparator.naturalOrder())
                        .orElseThrow())
                .minRows(tables.stream().mapToLong(FanOutConfig::minRows).min().orElseThrow())
                .keyRanges(all(tables, table -> table.keyRanges == KeyRanges.OFF) ? KeyRanges.OFF : KeyRanges.ON)
                .approximate(
                        all(tables, table -> table.approximate == Approximate.REFUSE)
                                ? Approximate.REFUSE
                                : Approximate.ALLOW)
                .build();
    }

    private static boolean all(List<FanOutConfig> tables, Predicate<FanOutConfig> condition) {
        return tables.stream().allMatch(condition);
    }

    private static TableLocks strictestLocks(List<FanOutConfig> tables) {
        List<TableLocks> locks =
                tables.stream().map(table -> table.snapshots.tableLocks()).toList();
        if (locks.contains(TableLocks.REFUSE)) {
            return TableLocks.REFUSE;
        }
        return locks.stream()
                .filter(each -> each != TableLocks.ALLOW)
                .findFirst()
                .orElse(TableLocks.ALLOW);
    }
}
