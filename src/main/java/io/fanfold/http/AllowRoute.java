package io.fanfold.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Allows a statement to be split again whose answer differed from the server's: POST of {@code {"id": "93961e3e43b4baee"}}.
 * A page of another origin cannot send this content type without a preflight request, which is not answered. Thread-safe.
 *
 * @param allows allows the statement with that id; returns false if there is none
 */
public record AllowRoute(Predicate<String> allows) implements Route {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @Override
    public String path() {
        return "/api/differences/allow";
    }

    @Override
    public Set<String> methods() {
        return Set.of("POST");
    }

    @Override
    public boolean mayBlock() {
        return false;
    }

    @Override
    public RouteResponse handle(RouteRequest request) {
        if (!request.header("content-type").orElse("").startsWith("application/json")) {
            return RouteResponse.text(415, "expected: Content-Type: application/json");
        }
        JsonNode id;
        try {
            id = MAPPER.readTree(request.body()).path("id");
        } catch (IOException e) {
            return RouteResponse.text(400, "the body is no JSON");
        }
        if (!id.isTextual()) {
            return RouteResponse.text(400, "expected: {\"id\": TEXT}");
        }
        return allows.test(id.asText())
                ? RouteResponse.text(200, "allowed")
                : RouteResponse.text(404, "no such statement: '" + id.asText() + "'");
    }
}
