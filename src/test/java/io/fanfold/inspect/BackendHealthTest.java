package io.fanfold.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.ConnectFailure;
import io.fanfold.config.BackendConfig;
import io.fanfold.it.support.load.Background;
import io.fanfold.session.ScriptedServer;
import io.fanfold.session.Wire;
import io.fanfold.wire.ServerPacket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BackendHealthTest {
    private final AtomicLong clock = new AtomicLong();
    private final AtomicInteger trials = new AtomicInteger();
    private volatile Optional<ConnectFailure> failure = Optional.empty();
    private final BackendHealth health = new BackendHealth(
            () -> {
                trials.incrementAndGet();
                return failure;
            },
            clock::get);

    @Test
    void oneTrialServesAllWithinASecond() {
        assertThat(health.up()).isTrue();
        failure = Optional.of(new ConnectFailure(0, "connection refused"));
        clock.addAndGet(Duration.ofMillis(999).toNanos());
        assertThat(health.server()).isEmpty();
        assertThat(trials).hasValue(1);
        clock.addAndGet(Duration.ofMillis(1).toNanos());
        assertThat(health.server()).contains("connection refused");
        assertThat(health.account()).isEmpty();
        assertThat(health.up()).isFalse();
        assertThat(trials).hasValue(2);
    }

    @Test
    void anErrorOfTheServerIsTheAccounts() {
        failure = Optional.of(new ConnectFailure(1045, "1045 Access denied"));
        assertThat(health.server()).isEmpty();
        assertThat(health.account()).contains("1045 Access denied");
        assertThat(health.up()).isFalse();
    }

    /** The server would refuse each client too, before it knows the account. */
    @Test
    void anErrorInPlaceOfTheGreetingIsTheServers() {
        for (int errno : new int[] {1129, 1130}) {
            failure = Optional.of(new ConnectFailure(errno, errno + " Host is refused"));
            clock.addAndGet(Duration.ofSeconds(1).toNanos());
            assertThat(health.server()).contains(errno + " Host is refused");
            assertThat(health.account()).isEmpty();
            assertThat(health.up()).isFalse();
        }
    }

    /** @param first the payload of the server's first packet; null for none */
    private static Optional<String> without(
            AtomicReference<@Nullable Boolean> reached, ServerSocket server, byte @Nullable [] first) throws Exception {
        BackendHealth health = BackendHealth.withoutAccount(at("127.0.0.1", server.getLocalPort()), reached::get);
        Future<Optional<String>> obstacle = Background.start(health::server);
        try (Socket client = server.accept()) {
            if (first != null) {
                client.getOutputStream().write(Wire.frame(0, first));
            }
        }
        return obstacle.get(20, TimeUnit.SECONDS);
    }

    private static BackendConfig at(String host, int port) {
        return new BackendConfig(host, port, Duration.ofSeconds(5), Duration.ZERO);
    }

    @Test
    void withoutAnAccountTheServerIsTriedOnlyAfterAFailure() throws Exception {
        AtomicReference<@Nullable Boolean> reached = new AtomicReference<>();
        int port;
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            port = server.getLocalPort();
            assertThat(without(reached, server, ScriptedServer.greeting(ScriptedServer.OFFERED)))
                    .isEmpty();
            byte[] blocked = new ServerPacket.Err(1129, "HY000", "Host is blocked").encode();
            assertThat(without(reached, server, blocked)).contains("1129 Host is blocked");
            assertThat(without(reached, server, null)).contains("it closes connections before its greeting");
        }
        reached.set(true);
        assertThat(BackendHealth.withoutAccount(at("127.0.0.1", port), reached::get)
                        .up())
                .as("nobody is asked")
                .isTrue();
        reached.set(false);
        assertThat(BackendHealth.withoutAccount(at("127.0.0.1", port), reached::get)
                        .server())
                .contains("connection refused");
        assertThat(BackendHealth.withoutAccount(at("no-such-host.invalid", 1), reached::get)
                        .server())
                .contains("the host name is unknown");
    }
}
