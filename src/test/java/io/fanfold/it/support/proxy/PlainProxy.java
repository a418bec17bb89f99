package io.fanfold.it.support.proxy;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.RunningSettings;
import io.fanfold.execute.FanOutDispatcher;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.server.ProxyServer;
import io.fanfold.session.command.KillRecognizer;
import io.fanfold.tls.Encryption;
import io.fanfold.tls.SharedKeys;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * A proxy in this JVM without workers. By default it splits nothing; a test may handle the statements itself.
 * {@link ProxiedServer} is the one that splits.
 */
public final class PlainProxy implements AutoCloseable {
    private final ProxyServer proxy;
    private final Encryption encryption;

    private PlainProxy(ProxyServer proxy, Encryption encryption) {
        this.proxy = proxy;
        this.encryption = encryption;
    }

    /** Starts a proxy that splits nothing. The caller closes it. */
    public static PlainProxy start(ListenerConfig listener, BackendConfig backend)
            throws IOException, InterruptedException {
        return start(config(listener, backend), FanOutDispatcher.disabled());
    }

    /** Starts a proxy whose statements a dispatcher of the test handles. The caller closes it. */
    public static PlainProxy start(FanfoldConfig config, FanOutDispatcher dispatcher)
            throws IOException, InterruptedException {
        return start(config, dispatcher, KillRecognizer.NONE, FanfoldMetrics.NONE);
    }

    /** Starts a proxy with parts of the test. The caller closes it. */
    public static PlainProxy start(
            FanfoldConfig config, FanOutDispatcher dispatcher, KillRecognizer kills, FanfoldMetrics metrics)
            throws IOException, InterruptedException {
        Encryption encryption = Encryption.open(config);
        ProxyServer proxy =
                new ProxyServer(RunningSettings.of(config), encryption, dispatcher, Optional.empty(), kills, metrics);
        proxy.start();
        return new PlainProxy(proxy, encryption);
    }

    /** Returns default settings, with certificates that all test proxies share. */
    public static FanfoldConfig config(ListenerConfig listener, BackendConfig backend) {
        return FanfoldConfig.defaults().withListener(SharedKeys.of(listener)).withBackend(backend);
    }

    /** Returns a listener on a free port of this machine. */
    public static ListenerConfig anyPort() {
        return new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO);
    }

    /** Returns that server with default settings. */
    public static BackendConfig before(TestServer server) {
        return before(server.host(), server.port());
    }

    /** Returns that address with default settings. */
    public static BackendConfig before(String host, int port) {
        return new BackendConfig(host, port, Duration.ofSeconds(10), Duration.ZERO);
    }

    public ProxyServer server() {
        return proxy;
    }

    public int port() {
        return proxy.port();
    }

    /** Stops at once; clients see the end of their connections. */
    @Override
    public void close() throws InterruptedException {
        proxy.stop(Duration.ZERO);
        encryption.close();
    }
}
