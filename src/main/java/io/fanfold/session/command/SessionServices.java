package io.fanfold.session.command;

import io.fanfold.execute.FanOutDispatcher;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.session.channel.ProxyConnections;
import io.fanfold.session.channel.SessionCompression;
import io.fanfold.session.channel.SessionLimits;
import io.fanfold.session.handshake.SessionTls;
import java.util.function.Supplier;

/**
 * The objects that all sessions share. All are thread-safe.
 *
 * @param limits those that hold now
 */
public record SessionServices(
        Supplier<SessionLimits> limits,
        SessionTls tls,
        SessionCompression compression,
        BackendConnector connector,
        FanOutDispatcher dispatcher,
        KillRecognizer kills,
        FanfoldMetrics metrics,
        ProxyConnections own,
        TransactionAdvice transactions) {
    /** Returns the limits that hold now. */
    public SessionLimits settings() {
        return limits.get();
    }
}
