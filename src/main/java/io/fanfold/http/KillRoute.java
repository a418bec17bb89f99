package io.fanfold.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/**
 * Kills a statement: POST of {@code {"id": 39, "user": "dba", "password": "…"}}. The server decides whether that account
 * may. A page of another origin cannot send this content type without a preflight request, which is not answered.
 * Thread-safe.
 */
public record KillRoute(Killer killer) implements Route {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Logs in to the server and kills. */
    @FunctionalInterface
    public interface Killer {
        /**
         * Kills the statement that a client runs.
         *
         * @param threadId the thread id of the client's connection to the server
         * @return why it could not be killed; empty if it was
         */
        Optional<String> kill(long threadId, String user, String password);
    }

    @Override
    public String path() {
        return "/api/kill";
    }

    @Override
    public Set<String> methods() {
        return Set.of("POST");
    }

    @Override
    public boolean mayBlock() {
        return true;
    }

    @Override
    public RouteResponse handle(RouteRequest request) {
        if (!request.header("content-type").orElse("").startsWith("application/json")) {
            return RouteResponse.text(415, "expected: Content-Type: application/json");
        }
        JsonNode body;
        try {
            body = MAPPER.readTree(request.body());
        } catch (IOException e) {
            return RouteResponse.text(400, "the body is no JSON");
        }
        if (!body.path("id").canConvertToLong() || body.path("user").asText().isEmpty()) {
            return RouteResponse.text(400, "expected: {\"id\": NUMBER, \"user\": TEXT, \"password\": TEXT}");
        }
        Optional<String> failure = killer.kill(
                body.path("id").asLong(),
                body.path("user").asText(),
                body.path("password").asText());
        return failure.map(why -> RouteResponse.text(403, why)).orElseGet(() -> RouteResponse.text(200, "killed"));
    }
}
