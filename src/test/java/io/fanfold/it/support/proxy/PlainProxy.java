package io.fanfold.it.support.proxy;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.execute.FanOutDispatcher;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.server.ProxyServer;
import io.fanfold.session.command.KillRecognizer;
import io.fanfold.tls.Encryption;
import io.fanfold.tls.SharedKeys;
import java.io.IOException;
import java.time.Duration;

/** A proxy in this JVM that splits nothing. */
public final class PlainProxy implements AutoCloseable {
    private final ProxyServer proxy;
    private final Encryption encryption;

    private PlainProxy(ProxyServer proxy, Encryption encryption) {
        this.proxy = proxy;
        this.encryption = encryption;
    }

    /** Starts a proxy. The caller closes it. */
    public static PlainProxy start(ListenerConfig listener, BackendConfig backend)
            throws IOException, InterruptedException {
        FanfoldConfig defaults = FanfoldConfig.defaults();
        FanfoldConfig config = new FanfoldConfig(
                SharedKeys.of(listener), backend, defaults.workers(), defaults.fanOut(), defaults.limits());
        Encryption encryption = Encryption.open(config);
        ProxyServer proxy = new ProxyServer(
                config, encryption, FanOutDispatcher.disabled(), KillRecognizer.NONE, FanfoldMetrics.NONE);
        proxy.start();
        return new PlainProxy(proxy, encryption);
    }

    /** Returns a listener on a free port of this machine. */
    public static ListenerConfig anyPort() {
        return new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO);
    }

    /** Returns that server with default settings. */
    public static BackendConfig before(TestServer server) {
        return new BackendConfig(server.host(), server.port(), Duration.ofSeconds(10), Duration.ZERO);
    }

    public int port() {
        return proxy.port();
    }

    @Override
    public void close() throws InterruptedException {
        proxy.stop(Duration.ofSeconds(5));
        encryption.close();
    }
}
