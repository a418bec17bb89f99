package io.fanfold.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.FakeServer;
import io.fanfold.client.ScriptedServer;
import io.fanfold.client.ServerException;
import io.fanfold.client.SideConnection;
import io.fanfold.variables.SessionVariables;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class KillSwitchTest {
    private static ScriptedServer script() {
        return new ScriptedServer("9.7.0", Map.of("hostname", "own"), sql -> List.of());
    }

    private static SideConnection.ServerPlace place(FakeServer server, String hostname) {
        return new SideConnection.ServerPlace(
                SessionVariables.serverKey(Map.of("hostname", hostname)),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
    }

    private static List<String> kills(ScriptedServer script) {
        return script.log().stream().filter(line -> line.contains("KILL")).toList();
    }

    @Test
    void killsAllOverOneConnection() throws Exception {
        ScriptedServer script = script();
        try (FakeServer server = new FakeServer(script);
                KillSwitch killSwitch = new KillSwitch(server.settings("worker", ""))) {
            killSwitch.killQuery(place(server, "own"), List.of(5L, 6L));
            killSwitch.killQuery(place(server, "own"), List.of());
            killSwitch.killQuery(place(server, "own"), List.of(7L));
            assertThat(kills(script)).containsExactly("1: KILL QUERY 5", "1: KILL QUERY 6", "1: KILL QUERY 7");
            assertThat(server.accepted()).isEqualTo(1);
        }
    }

    @Test
    void ignoresThreadsThatAreGone() throws Exception {
        ScriptedServer script = script();
        script.fail("KILL QUERY 5", 1094);
        try (FakeServer server = new FakeServer(script);
                KillSwitch killSwitch = new KillSwitch(server.settings("worker", ""))) {
            killSwitch.killQuery(place(server, "own"), List.of(5L, 6L));
            assertThat(kills(script)).hasSize(2);
        }
    }

    @Test
    void reportsARefusalAfterTryingAll() throws Exception {
        ScriptedServer script = script();
        script.fail("KILL QUERY 5", 1095);
        try (FakeServer server = new FakeServer(script);
                KillSwitch killSwitch = new KillSwitch(server.settings("worker", ""))) {
            assertThatThrownBy(() -> killSwitch.killQuery(place(server, "own"), List.of(5L, 6L)))
                    .isInstanceOfSatisfying(
                            ServerException.class, e -> assertThat(e.errno()).isEqualTo(1095));
            assertThat(kills(script)).contains("1: KILL QUERY 6");
        }
    }

    @Test
    void connectsAgainWhenItsConnectionDied() throws Exception {
        ScriptedServer script = script();
        try (FakeServer server = new FakeServer(script);
                KillSwitch killSwitch = new KillSwitch(server.settings("worker", ""))) {
            killSwitch.warmUp();
            server.cutAll();
            killSwitch.killQuery(place(server, "own"), List.of(5L));
            assertThat(kills(script)).containsExactly("2: KILL QUERY 5");
        }
    }

    @Test
    void failsWhenTheServerIsGone() throws Exception {
        try (FakeServer server = new FakeServer(script());
                KillSwitch killSwitch = new KillSwitch(server.settings("worker", ""))) {
            killSwitch.warmUp();
            server.close();
            assertThatThrownBy(() -> killSwitch.killQuery(place(server, "own"), List.of(5L)))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void killsNothingOnAServerThatHasTakenThePlace() throws Exception {
        ScriptedServer script = script();
        try (FakeServer server = new FakeServer(script);
                KillSwitch killSwitch = new KillSwitch(server.settings("worker", ""))) {
            killSwitch.warmUp();
            assertThatThrownBy(() -> killSwitch.killQuery(place(server, "former"), List.of(5L)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another server");
            assertThat(kills(script)).isEmpty();
            killSwitch.killQuery(place(server, "own"), List.of(6L));
            assertThat(kills(script)).containsExactly("2: KILL QUERY 6");
        }
    }

    /** Only the kills of a silent connection wait for it. */
    @Test
    void connectionsThatDoNotAnswerKeepNoOtherKillWaiting() throws Exception {
        ScriptedServer script = script();
        CountDownLatch silent = new CountDownLatch(1);
        try (FakeServer server = new FakeServer(peer -> {
                    if (peer.number() <= 2) {
                        uninterruptibly(silent);
                    }
                    script.play(peer);
                });
                KillSwitch killSwitch = new KillSwitch(server.settings("worker", ""))) {
            List<CompletableFuture<Void>> stalled = new ArrayList<>();
            for (int i = 1; i <= 2; i++) {
                long victim = i;
                stalled.add(CompletableFuture.runAsync(() -> kill(killSwitch, server, victim)));
                int connections = i;
                await().until(() -> server.accepted() == connections);
            }
            killSwitch.killQuery(place(server, "own"), List.of(7L));
            assertThat(kills(script)).containsExactly("3: KILL QUERY 7");
            for (CompletableFuture<Void> one : stalled) {
                assertThat(one).failsWithin(Duration.ofSeconds(20));
            }
            silent.countDown();
        }
    }

    private static void uninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void kill(KillSwitch killSwitch, FakeServer server, long victim) {
        try {
            killSwitch.killQuery(place(server, "own"), List.of(victim));
        } catch (IOException | ServerException e) {
            throw new IllegalStateException(e);
        }
    }
}
