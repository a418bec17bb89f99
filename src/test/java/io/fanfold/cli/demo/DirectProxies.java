package io.fanfold.cli.demo;

import io.fanfold.cli.FanOutReport;
import io.fanfold.cli.ProxyFactory;
import io.fanfold.cli.RunningProxy;
import io.fanfold.config.FanfoldConfig;

/** Proxies that are the server itself: they split nothing and change nothing. */
public final class DirectProxies implements ProxyFactory {
    @Override
    public RunningProxy start(FanfoldConfig config) {
        return new RunningProxy() {
            @Override
            public int port() {
                return config.backend().port();
            }

            @Override
            public FanOutReport lastFanOut() {
                return FanOutReport.passed("no proxy");
            }

            @Override
            public void close() {
                // nothing was opened
            }
        };
    }
}
