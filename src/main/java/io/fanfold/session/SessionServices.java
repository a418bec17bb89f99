package io.fanfold.session;

import io.fanfold.execute.FanOutDispatcher;
import io.fanfold.metrics.FanfoldMetrics;

/** The objects that all sessions share. All are thread-safe. */
public record SessionServices(
        SessionLimits settings,
        SessionTls tls,
        SessionCompression compression,
        BackendConnector connector,
        FanOutDispatcher splitter,
        KillRecognizer kills,
        FanfoldMetrics metrics,
        ProxyConnections own,
        TransactionAdvice transactions) {}
