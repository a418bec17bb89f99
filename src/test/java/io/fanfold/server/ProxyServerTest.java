package io.fanfold.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.RunningSettings;
import io.fanfold.execute.FanOutDispatcher;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.tls.Encryption;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.internal.ThreadExecutorMap;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ProxyServerTest {
    private static ProxyServer started(FanfoldMetrics metrics) throws Exception {
        ProxyServer proxy = at("127.0.0.1", 0, metrics);
        proxy.start();
        return proxy;
    }

    private static ProxyServer at(String host, int port, FanfoldMetrics metrics) {
        FanfoldConfig defaults = FanfoldConfig.defaults();
        FanfoldConfig config = new FanfoldConfig(
                new ListenerConfig(host, port, 10, Duration.ZERO),
                defaults.backend(),
                defaults.workers(),
                defaults.fanOut(),
                defaults.limits());
        return new ProxyServer(
                RunningSettings.of(config),
                Encryption.none(),
                FanOutDispatcher.disabled(),
                Optional.empty(),
                (sql, offset, length) -> OptionalLong.empty(),
                metrics);
    }

    @Test
    void aFailureToListenIsReportedInPlainWords() throws Exception {
        ProxyServer first = started(FanfoldMetrics.NONE);
        try {
            assertThatIOException()
                    .isThrownBy(at("127.0.0.1", first.port(), FanfoldMetrics.NONE)::start)
                    .withMessage("cannot listen on 127.0.0.1:" + first.port() + ": the address is already in use");
            assertThatIOException()
                    .isThrownBy(at("no-such-host.invalid", 0, FanfoldMetrics.NONE)::start)
                    .withMessage("cannot listen on no-such-host.invalid:0: the host name is unknown");
        } finally {
            first.stop(Duration.ZERO);
        }
    }

    /** As an event loop does when memory is exhausted. */
    @Test
    void anEventLoopThatEndsUnexpectedlyBreaksTheProxy() throws Exception {
        ProxyServer proxy = started(new FanfoldMetrics() {
            @Override
            public void clientConnected() {
                EventExecutor loop = ThreadExecutorMap.currentExecutor();
                Future<?> unused = loop == null ? null : loop.shutdownGracefully();
            }
        });
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
            assertThat(proxy.broken()).succeedsWithin(Duration.ofSeconds(20));
            assertThat(client.isConnected()).isTrue();
        } finally {
            proxy.stop(Duration.ZERO);
        }
    }

    @Test
    void aStopBreaksNothing() throws Exception {
        ProxyServer proxy = started(FanfoldMetrics.NONE);
        CompletableFuture<Void> broken = proxy.broken();
        proxy.stop(Duration.ZERO);
        assertThat(broken).isNotDone();
    }
}
