package io.fanfold.config;

/**
 * All settings. Immutable.
 *
 * @param listener where clients connect
 * @param backend the server
 * @param workers the worker connections
 * @param fanOut which statements are split, and how far
 * @param limits what bounds memory, time and numbers
 */
public record FanfoldConfig(
        ListenerConfig listener,
        BackendConfig backend,
        WorkersConfig workers,
        FanOutConfig fanOut,
        LimitsConfig limits) {

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
