package io.fanfold.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * {@code /health/ready}: 200 if clients can be served, otherwise 503. The body is JSON and names each check; a failed one
 * has the reason.
 *
 * @param checks run in this order, each time
 * @param warnings what needs a look but keeps no client away; called each time, may wait for some seconds
 */
public record ReadyRoute(List<HealthCheck> checks, Supplier<List<String>> warnings) implements Route {
    private static final ObjectMapper JSON = new ObjectMapper();

    public ReadyRoute {
        checks = List.copyOf(checks);
    }

    /** Creates a route without warnings. */
    public ReadyRoute(List<HealthCheck> checks) {
        this(checks, List::of);
    }

    @Override
    public String path() {
        return "/health/ready";
    }

    @Override
    public boolean mayBlock() {
        return true;
    }

    @Override
    public boolean openToThisMachine() {
        return true;
    }

    @Override
    public RouteResponse handle(RouteRequest request) {
        ObjectNode body = JSON.createObjectNode();
        body.put("ready", true);
        ArrayNode list = body.putArray("checks");
        for (HealthCheck check : checks) {
            Optional<String> failure = check.failure();
            ObjectNode each = list.addObject().put("name", check.name()).put("ok", failure.isEmpty());
            failure.ifPresent(why -> {
                each.put("failure", why);
                body.put("ready", false);
            });
        }
        ArrayNode notes = body.putArray("warnings");
        warnings.get().forEach(notes::add);
        try {
            return RouteResponse.json(body.get("ready").booleanValue() ? 200 : 503, JSON.writeValueAsBytes(body));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("texts and flags can be written", e);
        }
    }
}
