package io.fanfold.config;

import io.fanfold.config.FanOutConfig.KeyRanges;
import io.fanfold.config.FanOutConfig.Mode;
import io.fanfold.config.ReplicaReads.ReadFrom;
import io.fanfold.config.ReuseConfig.Reuse;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All settings. Immutable.
 *
 * @param listener where clients connect
 * @param backend the server
 * @param workers the worker connections
 * @param fanOut which statements are split, and how
 * @param tables settings of individual tables
 * @param accounts settings of individual accounts
 * @param limits limits of memory, time and numbers
 * @param verify settings of shadow verification
 * @param http the port for operators and monitoring systems
 * @param log what is logged
 */
@RecordBuilder
public record FanfoldConfig(
        ListenerConfig listener,
        BackendConfig backend,
        WorkersConfig workers,
        FanOutConfig fanOut,
        TablesConfig tables,
        AccountsConfig accounts,
        LimitsConfig limits,
        VerifyConfig verify,
        HttpConfig http,
        LogConfig log)
        implements FanfoldConfigBuilder.With {

    /** Creates settings with default logging, without an HTTP port, and with the same settings for all tables. */
    public FanfoldConfig(
            ListenerConfig listener,
            BackendConfig backend,
            WorkersConfig workers,
            FanOutConfig fanOut,
            LimitsConfig limits) {
        this(
                listener,
                backend,
                workers,
                fanOut,
                TablesConfig.defaults(),
                AccountsConfig.defaults(),
                limits,
                VerifyConfig.defaults(),
                HttpConfig.defaults(),
                LogConfig.defaults());
    }

    public FanfoldConfig with(ListenerConfig otherListener, BackendConfig otherBackend, WorkersConfig otherWorkers) {
        return withListener(otherListener).withBackend(otherBackend).withWorkers(otherWorkers);
    }

    /** Whether no statement of any account is split or observed, whatever it reads. */
    public boolean offEverywhere() {
        return fanOut.mode() == Mode.OFF
                && tables.entries().stream().allMatch(entry -> entry.mode() == null || entry.mode() == Mode.OFF)
                && accounts.entries().stream().allMatch(entry -> entry.mode() == null || entry.mode() == Mode.OFF);
    }

    /** Whether rows of partition queries are used again for any table or account. */
    public boolean reuses() {
        return fanOut.reuse().mode() == Reuse.ON
                || tables.entries().stream().anyMatch(entry -> entry.reuse() == Reuse.ON)
                || accounts.entries().stream().anyMatch(entry -> entry.reuse() == Reuse.ON);
    }

    /** Whether fan-outs of any table or account may read replicas. */
    public boolean readsReplicas() {
        return !workers.servers().isEmpty()
                && (fanOut.replicas().from() != ReadFrom.PRIMARY
                        || tables.entries().stream().anyMatch(entry -> reads(entry.readFrom()))
                        || accounts.entries().stream().anyMatch(entry -> reads(entry.readFrom())));
    }

    private static boolean reads(@Nullable ReadFrom from) {
        return from != null && from != ReadFrom.PRIMARY;
    }

    /** Returns the heap for all merges together, in bytes. While reuse is on, kept rows have a part of it. */
    public long mergeMemoryBytes() {
        return limits.totalMemoryBytes() - (reuses() ? limits.reuseMemoryBytes() : 0);
    }

    /**
     * Returns the least number of rows for which a table is split by ranges of a key; empty if none is.
     *
     * <p>A table may still have settings of its own that need more rows.
     */
    public OptionalLong leastRowsOfKeyRanges() {
        return Stream.concat(Stream.of(fanOut), tables.entries().stream().map(entry -> entry.over(fanOut)))
                .filter(settings -> settings.keyRanges() == KeyRanges.ON)
                .mapToLong(FanOutConfig::minRows)
                .min();
    }

    /** Returns the settings without a file. */
    public static FanfoldConfig defaults() {
        return new FanfoldConfig(
                ListenerConfig.defaults(),
                BackendConfig.defaults(),
                WorkersConfig.defaults(),
                FanOutConfig.defaults(),
                LimitsConfig.defaults());
    }
}
