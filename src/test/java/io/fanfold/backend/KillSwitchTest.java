package io.fanfold.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KillSwitchTest {
    private static ScriptedServer script() {
        return new ScriptedServer("9.7.0", Map.of("hostname", "own"), sql -> List.of());
    }

    private static KillSwitch.Place place(String hostname) {
        return new KillSwitch.Place(
                SessionVariables.serverKey(Map.of("hostname", hostname)), InetAddress.getLoopbackAddress());
    }

    private static List<String> kills(ScriptedServer script) {
        return script.log().stream().filter(line -> line.contains("KILL")).toList();
    }

    @Test
    void killsAllOverOneConnection() throws Exception {
        ScriptedServer script = script();
        try (FakeServer server = new FakeServer(script);
                KillSwitch killSwitch = new KillSwitch(server.settings("worker", ""))) {
            killSwitch.killQuery(place("own"), List.of(5L, 6L));
            killSwitch.killQuery(place("own"), List.of());
            killSwitch.killQuery(place("own"), List.of(7L));
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
            killSwitch.killQuery(place("own"), List.of(5L, 6L));
            assertThat(kills(script)).hasSize(2);
        }
    }

    @Test
    void reportsARefusalAfterTryingAll() throws Exception {
        ScriptedServer script = script();
        script.fail("KILL QUERY 5", 1095);
        try (FakeServer server = new FakeServer(script);
                KillSwitch killSwitch = new KillSwitch(server.settings("worker", ""))) {
            assertThatThrownBy(() -> killSwitch.killQuery(place("own"), List.of(5L, 6L)))
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
            killSwitch.killQuery(place("own"), List.of(5L));
            assertThat(kills(script)).containsExactly("2: KILL QUERY 5");
        }
    }

    @Test
    void failsWhenTheServerIsGone() throws Exception {
        try (FakeServer server = new FakeServer(script());
                KillSwitch killSwitch = new KillSwitch(server.settings("worker", ""))) {
            killSwitch.warmUp();
            server.close();
            assertThatThrownBy(() -> killSwitch.killQuery(place("own"), List.of(5L)))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void killsNothingOnAServerThatHasTakenThePlace() throws Exception {
        ScriptedServer script = script();
        try (FakeServer server = new FakeServer(script);
                KillSwitch killSwitch = new KillSwitch(server.settings("worker", ""))) {
            killSwitch.warmUp();
            assertThatThrownBy(() -> killSwitch.killQuery(place("former"), List.of(5L)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another server");
            assertThat(kills(script)).isEmpty();
            killSwitch.killQuery(place("own"), List.of(6L));
            assertThat(kills(script)).containsExactly("2: KILL QUERY 6");
        }
    }
}
