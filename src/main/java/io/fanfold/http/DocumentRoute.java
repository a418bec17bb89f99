package io.fanfold.http;

import io.fanfold.status.Json;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/**
 * Facts as JSON. Thread-safe.
 *
 * @param facts texts, numbers, lists and maps; made anew for each request, at once
 */
public record DocumentRoute(String path, Supplier<?> facts) implements Route {
    @Override
    public boolean mayBlock() {
        return false;
    }

    @Override
    public RouteResponse handle(RouteRequest request) {
        return RouteResponse.json(200, Json.of(facts.get()).getBytes(StandardCharsets.UTF_8));
    }
}
