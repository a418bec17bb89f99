package io.fanfold.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.LimitsConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.Network;
import io.fanfold.config.RunningSettings;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.server.ProxyServer;
import io.fanfold.session.command.KillRecognizer;
import io.fanfold.tls.Encryption;
import io.fanfold.wire.ServerPacket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that connect through a Unix domain socket. The timeout is a guard, since reads from such a socket have none.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UnixSocketTest {
    private static final byte[] PING = {0x0e};

    private static final ScriptedServer.Script ANSWERING = client -> {
        ScriptedServer.login(client);
        while (true) {
            client.read();
            client.write(1, ScriptedServer.OK);
        }
    };

    @TempDir
    Path folder = Path.of("");

    private Path path() {
        return folder.resolve("s");
    }

    private ListenerConfig listener() {
        return new ListenerConfig("127.0.0.1", 0, 100, Duration.ZERO).withSocket(path());
    }

    private RelayFixture relay(int connections) throws Exception {
        LimitsConfig limits = RelayFixture.limits(connections, Duration.ofSeconds(30));
        return new RelayFixture(ANSWERING, listener(), limits);
    }

    private static void login(Wire client) throws Exception {
        client.read();
        client.write(1, RelayFixture.response(RelayFixture.CLIENT));
        assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
    }

    private static void ping(Wire client) throws Exception {
        client.write(0, PING);
        assertThat(client.read().payload()).isEqualTo(ScriptedServer.OK);
    }

    @Test
    void bothKindsOfClientsAreServed() throws Exception {
        try (RelayFixture relay = relay(100);
                Wire local = Wire.connect(path());
                Wire remote = relay.connect()) {
            login(local);
            login(remote);
            ping(local);
            ping(remote);
            assertThat(relay.proxy().sessions()).isEqualTo(2);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
                    .isEqualTo("rwxrwxrwx");
        }
    }

    @Test
    void theLimitIsOfBothKindsTogether() throws Exception {
        try (RelayFixture relay = relay(2)) {
            Wire local = Wire.connect(path());
            login(local);
            Wire remote = relay.connect();
            login(remote);
            for (Wire next : List.of(Wire.connect(path()), relay.connect())) {
                assertThat(next.read().payload()).startsWith(0xff, 0x10, 0x04);
                assertThat(next.atEnd()).isTrue();
                next.close();
            }
            local.close();
            Awaitility.await().until(() -> relay.proxy().sessions() == 1);
            try (Wire next = Wire.connect(path())) {
                login(next);
            }
            remote.close();
        }
    }

    @Test
    void aStopLetsStatementsEndAndRemovesTheFile() throws Exception {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        CompletableFuture<Void> answer = new CompletableFuture<>();
        ScriptedServer.Script slow = client -> {
            ScriptedServer.login(client);
            client.read();
            asked.complete(null);
            answer.join();
            client.write(1, ScriptedServer.OK);
            client.read();
        };
        try (RelayFixture relay = new RelayFixture(slow, listener(), RelayFixture.limits(100, Duration.ofSeconds(30)));
                Wire busy = Wire.connect(path());
                Wire idle = Wire.connect(path())) {
            login(busy);
            login(idle);
            busy.write(0, PING);
            asked.join();
            CompletableFuture<Void> stop = CompletableFuture.runAsync(() -> {
                try {
                    relay.proxy().stop(Duration.ofMinutes(1));
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(idle.atEnd()).isTrue();
            try (Wire late = Wire.connect(path())) {
                assertThat(ServerPacket.Err.decode(late.read().payload()).code())
                        .isEqualTo(1053);
            }
            assertThat(stop).isNotDone();
            answer.complete(null);
            assertThat(busy.read().payload()).isEqualTo(ScriptedServer.OK);
            assertThat(busy.atEnd()).isTrue();
            stop.join();
            assertThat(path()).doesNotExist();
        }
    }

    @Test
    void aLeftOverFileIsReplaced() throws Exception {
        ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        killed.bind(UnixDomainSocketAddress.of(path()));
        killed.close();
        assertThat(path()).exists();
        try (RelayFixture relay = relay(100);
                Wire client = Wire.connect(path())) {
            login(client);
            assertThat(relay.proxy().sessions()).isEqualTo(1);
        }
        assertThat(path()).doesNotExist();
    }

    @Test
    void doesNotStartIfAnotherProcessListens() throws Exception {
        FanfoldConfig defaults = FanfoldConfig.defaults();
        try (RelayFixture relay = relay(100)) {
            ProxyServer second = new ProxyServer(
                    RunningSettings.of(new FanfoldConfig(
                            listener(), defaults.backend(), defaults.workers(), defaults.fanOut(), defaults.limits())),
                    Encryption.none(),
                    new RecordingDispatcher(),
                    Optional.empty(),
                    KillRecognizer.NONE,
                    FanfoldMetrics.NONE);
            assertThatIOException()
                    .isThrownBy(second::start)
                    .withMessage("cannot listen on " + path() + ": another process listens there");
            try (Wire client = Wire.connect(path())) {
                login(client);
                ping(client);
            }
            assertThat(relay.proxy().port()).isPositive();
        }
    }

    @Test
    void noHeaderIsTakenThere() throws Exception {
        ListenerConfig all = listener()
                .withProxyNetworks(List.of(
                        Network.parse("0.0.0.0/0").orElseThrow(),
                        Network.parse("::/0").orElseThrow()));
        try (RelayFixture relay = new RelayFixture(ANSWERING, all, RelayFixture.limits(100, Duration.ofSeconds(30)));
                Wire client = Wire.connect(path())) {
            client.read();
            client.raw("PROXY TCP4 1.2.3.4 1.2.3.4 1 2\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(ServerPacket.Err.decode(client.read().payload()).message())
                    .contains("may not send a PROXY protocol header");
            assertThat(client.atEnd()).isTrue();
            assertThat(relay.proxy().port()).isPositive();
        }
    }
}
