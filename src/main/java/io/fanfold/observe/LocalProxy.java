package io.fanfold.observe;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.client.WireSettings;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.BackendTlsConfig.BackendTlsMode;
import io.fanfold.config.BackendTlsConfig.ClearClients;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HttpConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.inspect.Finding;
import io.fanfold.inspect.Inspection;
import io.fanfold.metrics.FanOutReport;
import io.fanfold.metrics.VerifyReport;
import io.fanfold.server.ProxyFactory;
import io.fanfold.server.RunningProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A proxy inside this process, for one client inside this process. It listens on a free port of the loopback address. */
public final class LocalProxy implements AutoCloseable {
    private static final String LOOPBACK = "127.0.0.1";

    /** The tables are read once: they are explained as they were then. */
    private static final Duration NEVER_AGAIN = Duration.ofDays(1);

    private final FanfoldConfig config;
    private final RunningProxy proxy;

    private LocalProxy(FanfoldConfig config, RunningProxy proxy) {
        this.config = config;
        this.proxy = proxy;
    }

    /**
     * Starts a proxy and waits until it has looked at the server.
     *
     * @param config with the server and a worker account; the listener is not used
     * @throws NoServerException if the server cannot be reached, or refuses the worker account
     */
    public static LocalProxy start(ProxyFactory proxies, FanfoldConfig config) throws IOException {
        FanfoldConfig local = local(config);
        LocalProxy started = new LocalProxy(local, proxies.start(local));
        Inspection inspection = started.inspection();
        if (!inspection.reached()) {
            started.close();
            throw new NoServerException(config.backend(), inspection.of(Finding.Severity.BLOCKS));
        }
        return started;
    }

    /**
     * Returns settings for a client without TLS on this machine. The proxy encrypts its connections to the server if the
     * server offers that, and does not say that it is a proxy. It has no HTTP port: another proxy with these settings may
     * be running.
     */
    private static FanfoldConfig local(FanfoldConfig config) {
        BackendConfig server = config.backend();
        BackendTlsConfig tls = server.tls().withClearClients(ClearClients.ALLOW);
        return config.withListener(new ListenerConfig(LOOPBACK, 0, 16, Duration.ZERO))
                .withHttp(HttpConfig.defaults())
                .withBackend(server.withProxyProtocol(BackendConfig.ProxyProtocol.OFF)
                        .withTls(tls.mode() == BackendTlsMode.AS_CLIENT ? tls.withMode(BackendTlsMode.PREFERRED) : tls))
                .withFanOut(config.fanOut().withCatalogRefresh(NEVER_AGAIN));
    }

    /** What the proxy has found out about the server, the worker account and the settings. */
    public Inspection inspection() {
        return proxy.inspection();
    }

    /** What happened to the last statement. */
    FanOutReport lastFanOut() {
        return proxy.lastFanOut();
    }

    /** See {@link RunningProxy#lastVerification}. */
    CompletableFuture<VerifyReport> lastVerification() {
        return proxy.lastVerification();
    }

    /** The settings of the proxy. */
    public FanfoldConfig config() {
        return config;
    }

    /**
     * Logs in through the proxy.
     *
     * @throws ServerException if the server refuses the account
     */
    public ExplainClient login(Account account) throws IOException, ServerException {
        WireConnection connection = WireConnection.open(new WireSettings(
                LOOPBACK,
                proxy.port(),
                account.user(),
                account.password(),
                config.backend().connectTimeout().plus(config.limits().handshakeTimeout()),
                Duration.ZERO,
                Duration.ZERO,
                WireSettings.DEFAULT_MAX_PAYLOAD_BYTES));
        boolean usable = false;
        try {
            ExplainClient client = new ExplainClient(connection);
            client.leaveTransactions();
            usable = true;
            return client;
        } finally {
            if (!usable) {
                connection.close();
            }
        }
    }

    @Override
    public void close() {
        proxy.close();
    }

    /** The server cannot be reached, or refuses the worker account, or the settings switch every split off. */
    public static final class NoServerException extends IOException {
        private static final long serialVersionUID = 1;

        NoServerException(BackendConfig server, List<Finding> findings) {
            super(
                    findings.isEmpty()
                            ? "the server at " + server.host() + ":" + server.port()
                                    + " could not be inspected; FANFOLD_LOG_LEVEL=DEBUG shows why"
                            : text(findings));
        }

        private static String text(List<Finding> findings) {
            StringBuilder text = new StringBuilder();
            for (Finding finding : findings) {
                text.append(text.isEmpty() ? "" : "; ").append(finding.sentence());
                if (!finding.remedies().isEmpty()) {
                    text.append(". To change that: ").append(finding.remedy());
                }
            }
            return text.toString();
        }
    }
}
