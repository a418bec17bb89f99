package io.fanfold.config;

/**
 * All settings. Immutable.
 *
 * @param listener where clients connect
 * @param backend the server
 * @param workers the worker connections
 * @param fanOut which statements are split, and how far
 * @param limits what bounds memory, time and numbers
 * @param log what is logged
 */
public record FanfoldConfig(
        ListenerConfig listener,
        BackendConfig backend,
        WorkersConfig workers,
        FanOutConfig fanOut,
        LimitsConfig limits,
        LogConfig log) {

    /** With what is logged by default. */
    public FanfoldConfig(
            ListenerConfig listener,
            BackendConfig backend,
            WorkersConfig workers,
            FanOutConfig fanOut,
            LimitsConfig limits) {
        this(listener, backend, workers, fanOut, limits, LogConfig.defaults());
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
