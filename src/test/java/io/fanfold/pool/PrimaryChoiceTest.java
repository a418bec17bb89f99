package io.fanfold.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
    void oneLookServesAllThatWait() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        AtomicInteger looks = new AtomicInteger();
        try (PrimaryChoice slow = new PrimaryChoice(settings, server -> {
            looks.addAndGet(server.equals(A) ? 1 : 0);
            asked.countDown();
            try {
                answer.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Optional.empty();
        })) {
            CountDownLatch called = new CountDownLatch(101);
            slow.lookAgain(called::countDown);
            asked.await();
            for (int i = 0; i < 100; i++) {
                slow.lookAgain(called::countDown);
            }
            answer.countDown();
            assertThat(called.await(20, TimeUnit.SECONDS)).isTrue();
            CountDownLatch last = new CountDownLatch(1);
            slow.lookAgain(last::countDown);
            assertThat(last.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(looks).hasValue(3);
        }
    }

    @Test
    void anErrorOfAQuestionEndsNoOtherLook() throws Exception {
        AtomicInteger questions = new AtomicInteger();
        CountDownLatch called = new CountDownLatch(2);
        try (PrimaryChoice failing = new PrimaryChoice(settings, server -> {
            if (questions.incrementAndGet() == 1) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return Optional.empty();
        })) {
            failing.start();
            failing.lookAgain(called::countDown);
            failing.lookAgain(called::countDown);
            assertThat(called.await(20, TimeUnit.SECONDS)).isTrue();
            // the look of the next second
            await().until(() -> questions.get() > 3 * 3);
        }
    }

    @Test
    void aReloadKeepsTheChoice() {
        obstacles.put(A, "connection refused");
        choice.look();
        assertThat(settings.reload().isEmpty()).isTrue();
        assertThat(settings.get().backend().address()).isEqualTo(B);
    }
}
