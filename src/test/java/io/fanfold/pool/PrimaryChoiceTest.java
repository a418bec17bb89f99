package io.fanfold.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HostPort;
import io.fanfold.config.RunningSettings;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PrimaryChoiceTest {
    private static final HostPort A = new HostPort("a", 3306);
    private static final HostPort B = new HostPort("b", 3307);
    private static final HostPort C = new HostPort("c", 3308);

    private final Map<HostPort, String> obstacles = new HashMap<>();
    private final Set<HostPort> silent = new HashSet<>();
    private final List<HostPort> moves = new ArrayList<>();
    private final RunningSettings settings = RunningSettings.of(config());
    private final PrimaryChoice choice = new PrimaryChoice(settings, server -> {
        if (silent.contains(server)) {
            throw new SocketTimeoutException();
        }
        return Optional.ofNullable(obstacles.get(server));
    });

    private static FanfoldConfig config() {
        BackendConfig backend = BackendConfig.defaults().at(A.host(), A.port()).withHosts(List.of(A, B, C));
        return FanfoldConfig.defaults().withBackend(backend);
    }

    PrimaryChoiceTest() {
        settings.onChange((before, now) -> moves.add(now.backend().address()));
    }

    @AfterEach
    void close() {
        choice.close();
    }

    @Test
    void staysWithTheFirstServer() {
        assertThat(choice.look()).isEqualTo(A);
        assertThat(moves).isEmpty();
        assertThat(choice.standbys()).containsExactly(Map.entry(B, ""), Map.entry(C, ""));
    }

    @Test
    void takesTheFirstWithoutAnObstacle() {
        obstacles.put(A, "connection refused");
        obstacles.put(B, "it is read-only");
        assertThat(choice.look()).isEqualTo(C);
        assertThat(settings.get().backend().address()).isEqualTo(C);
        assertThat(choice.standbys())
                .containsExactly(Map.entry(A, "connection refused"), Map.entry(B, "it is read-only"));
        obstacles.remove(B);
        assertThat(choice.look()).isEqualTo(B);
        obstacles.clear();
        assertThat(choice.look()).isEqualTo(A);
        assertThat(moves).containsExactly(C, B, A);
    }

    @Test
    void staysIfNoServerCanBeUsed() {
        List.of(A, B, C).forEach(server -> obstacles.put(server, "it is read-only"));
        assertThat(choice.look()).isEqualTo(A);
        obstacles.remove(C);
        assertThat(choice.look()).isEqualTo(C);
        obstacles.put(C, "connection refused");
        assertThat(choice.look()).isEqualTo(C);
        assertThat(moves).containsExactly(C);
    }

    @Test
    void givesASilentServerSomeTime() {
        silent.add(A);
        for (int i = 1; i < PrimaryChoice.SILENCES; i++) {
            assertThat(choice.look()).isEqualTo(A);
        }
        silent.clear();
        assertThat(choice.look()).isEqualTo(A);
        silent.add(A);
        for (int i = 1; i < PrimaryChoice.SILENCES; i++) {
            assertThat(choice.look()).isEqualTo(A);
        }
        assertThat(choice.look()).isEqualTo(B);
    }

    @Test
    void aReloadKeepsTheChoice() {
        obstacles.put(A, "connection refused");
        choice.look();
        assertThat(settings.reload().isEmpty()).isTrue();
        assertThat(settings.get().backend().address()).isEqualTo(B);
    }
}
