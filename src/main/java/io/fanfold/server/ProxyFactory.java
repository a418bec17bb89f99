package io.fanfold.server;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.RunningSettings;
import java.io.IOException;

/** Starts proxies for the commands, which do not know how the parts are wired. */
@FunctionalInterface
public interface ProxyFactory {
    /**
     * Starts a proxy and returns when it accepts clients. A server that cannot be reached yet is not an error.
     *
     * @param settings the proxy takes their changes over
     * @throws IOException if the listener cannot be opened; the message names the address and the cause
     */
    RunningProxy start(RunningSettings settings) throws IOException;

    /** Starts a proxy whose settings never change. */
    default RunningProxy start(FanfoldConfig config) throws IOException {
        return start(RunningSettings.of(config));
    }
}
