package io.fanfold.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.ConnectFailure;
import io.fanfold.config.BackendConfig;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Optional;
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

    @Test
    void withoutAnAccountTheServerIsTriedOnlyAfterAFailure() throws Exception {
        AtomicReference<@Nullable Boolean> reached = new AtomicReference<>();
        BackendConfig backend;
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            backend = new BackendConfig("127.0.0.1", server.getLocalPort(), Duration.ofSeconds(5), Duration.ZERO);
            assertThat(BackendHealth.withoutAccount(backend, reached::get).up()).isTrue();
            server.accept().close();
        }
        reached.set(true);
        assertThat(BackendHealth.withoutAccount(backend, reached::get).up())
                .as("nobody is asked")
                .isTrue();
        reached.set(false);
        assertThat(BackendHealth.withoutAccount(backend, reached::get).server()).contains("connection refused");
        BackendConfig nowhere = new BackendConfig("no-such-host.invalid", 1, Duration.ofSeconds(5), Duration.ZERO);
        assertThat(BackendHealth.withoutAccount(nowhere, reached::get).server()).contains("the host name is unknown");
    }
}
