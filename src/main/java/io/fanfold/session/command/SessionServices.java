package io.fanfold.session.command;

import io.fanfold.execute.FanOutDispatcher;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.session.channel.ProxyConnections;
import io.fanfold.session.channel.SessionCompression;
import io.fanfold.session.channel.SessionLimits;
import io.fanfold.session.handshake.SessionTls;

/** The objects that all sessions share. All are thread-safe. */
public record SessionServices(
        SessionLimits settings,
        SessionTls tls,
        SessionCompression compression,
        BackendConnector connector,
        FanOutDispatcher dispatcher,
        KillRecognizer kills,
        FanfoldMetrics metrics,
        ProxyConnections own,
        TransactionAdvice transactions) {}
