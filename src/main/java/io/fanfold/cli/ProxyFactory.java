package io.fanfold.cli;

import io.fanfold.config.FanfoldConfig;
import java.io.IOException;

/** Starts proxies: the seam between the commands and the wiring of the parts. */
@FunctionalInterface
public interface ProxyFactory {
    /**
     * Starts a proxy and returns when it accepts clients. A server that cannot be reached yet is no error.
     *
     * @throws IOException when the listener cannot be opened; the message names address and cause
     */
    RunningProxy start(FanfoldConfig config) throws IOException;
}
