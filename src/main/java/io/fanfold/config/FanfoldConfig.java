package io.fanfold.config;

/**
 * All settings. Immutable.
 *
 * @param listener where clients connect
 * @param backend the server
 * @param workers the worker connections
 * @param fanOut which statements are split, and how far
 * @param tables settings of certain tables
 * @param limits what bounds memory, time and numbers
 * @param log what is logged
 */
public record FanfoldConfig(
        ListenerConfig listener,
        BackendConfig backend,
        WorkersConfig workers,
        FanOutConfig fanOut,
        TablesConfig tables,
        LimitsConfig limits,
        LogConfig log) {

    /** With what is logged by default, and one setting for all tables. */
    public FanfoldConfig(
            ListenerConfig listener,
            BackendConfig backend,
            WorkersConfig workers,
            FanOutConfig fanOut,
            LimitsConfig limits) {
        this(listener, backend, workers, fanOut, TablesConfig.defaults(), limits, LogConfig.defaults());
    }

    public FanfoldConfig with(ListenerConfig otherListener, BackendConfig otherBackend, WorkersConfig otherWorkers) {
        return new FanfoldConfig(otherListener, otherBackend, otherWorkers, fanOut, tables, limits, log);
    }

    /** The same with other settings of certain tables. */
    public FanfoldConfig with(TablesConfig otherTables) {
        return new FanfoldConfig(listener, backend, workers, fanOut, otherTables, limits, log);
    }

    /** The settings that hold when nothing is configured. */
    public static FanfoldConfig defaults() {
        return new FanfoldConfig(
                ListenerConfig.defaults(),
                BackendConfig.defaults(),
                WorkersConfig.defaults(),
                FanOutConfig.defaults(),
                LimitsConfig.defaults());
    }
}
