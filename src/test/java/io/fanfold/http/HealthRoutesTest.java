package io.fanfold.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HealthRoutesTest {
    private static final RouteRequest REQUEST =
            new RouteRequest("GET", "/health", Map.of(), Map.of(), new byte[0], true, false);

    private volatile Optional<String> failure = Optional.empty();
    private final ReadyRoute ready = new ReadyRoute(
            List.of(new HealthCheck("accepting", Optional::empty), new HealthCheck("server", () -> failure)));

    private static String body(RouteResponse response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    @Test
    void readyOnlyIfEveryCheckIsMet() {
        RouteResponse good = ready.handle(REQUEST);
        assertThat(good.status()).isEqualTo(200);
        assertThat(good.contentType()).isEqualTo("application/json");
        assertThat(body(good))
                .isEqualTo("{\"ready\":true,\"checks\":[{\"name\":\"accepting\",\"ok\":true},"
                        + "{\"name\":\"server\",\"ok\":true}],\"warnings\":[]}");
        failure = Optional.of("connection \"refused\"");
        RouteResponse bad = ready.handle(REQUEST);
        assertThat(bad.status()).isEqualTo(503);
        assertThat(body(bad))
                .isEqualTo(
                        "{\"ready\":false,\"checks\":[{\"name\":\"accepting\",\"ok\":true},"
                                + "{\"name\":\"server\",\"ok\":false,\"failure\":\"connection \\\"refused\\\"\"}],\"warnings\":[]}");
    }

    @Test
    void warningsKeepNobodyAway() {
        RouteResponse response = new ReadyRoute(List.of(), () -> List.of("look at \"x\"")).handle(REQUEST);
        assertThat(response.status()).isEqualTo(200);
        assertThat(body(response)).isEqualTo("{\"ready\":true,\"checks\":[],\"warnings\":[\"look at \\\"x\\\"\"]}");
    }

    @Test
    void liveAsksNobody() {
        LiveRoute live = new LiveRoute();
        assertThat(live.mayBlock()).isFalse();
        assertThat(live.handle(REQUEST).status()).isEqualTo(200);
        assertThat(live.openToThisMachine() && ready.openToThisMachine()).isTrue();
    }
}
