package io.fanfold.http;

import io.fanfold.status.Json;
import io.fanfold.status.StatusSource;
import io.fanfold.status.StatusTable;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A status of SHOW FANFOLD as JSON, a list of objects: {@code /api/digests?limit=20}. Thread-safe. */
public record StatusRoute(String name, StatusSource source) implements Route {
    /** Who may use the port sees everything. */
    private static final StatusSource.Viewer OPERATOR = new StatusSource.Viewer("", true);

    @Override
    public String path() {
        return "/api/" + name;
    }

    @Override
    public boolean mayBlock() {
        return false;
    }

    @Override
    public RouteResponse handle(RouteRequest request) {
        StatusTable table = source.read(OPERATOR);
        List<String> limits = request.query().getOrDefault("limit", List.of());
        if (!limits.isEmpty()) {
            try {
                table = table.limit(0, Math.max(0, Long.parseLong(limits.get(0))));
            } catch (NumberFormatException e) {
                return RouteResponse.text(400, "limit: '" + limits.get(0) + "' (expected: a whole number)");
            }
        }
        return RouteResponse.json(200, Json.of(table).getBytes(StandardCharsets.UTF_8));
    }
}
