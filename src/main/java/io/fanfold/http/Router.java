package io.fanfold.http;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the route of a request, after the check who may ask. Thread-safe. */
final class Router {
    private static final Logger LOG = LoggerFactory.getLogger(Router.class);

    private final Map<String, Route> routes = new LinkedHashMap<>();
    private final AccessRule access;

    /** @param routes with different paths */
    Router(List<Route> routes, AccessRule access) {
        this.access = access;
        for (Route route : routes) {
            if (this.routes.put(route.path(), route) != null) {
                throw new IllegalArgumentException("two routes for " + route.path());
            }
        }
    }

    /** A request's answer, or the route that gives it. */
    sealed interface Found {
        record Answered(RouteResponse response) implements Found {}

        record Routed(Route route) implements Found {}
    }

    /** Returns at once. Who may not ask does not learn which paths exist. */
    Found find(RouteRequest request) {
        Route route = routes.get(request.path());
        Optional<RouteResponse> refusal =
                access.refusal(request, route != null && route.openToThisMachine(), route != null && route.openToAll());
        if (refusal.isPresent()) {
            return new Found.Answered(refusal.get());
        }
        if (route == null) {
            return new Found.Answered(RouteResponse.text(
                    404, "nothing has this path (expected: " + String.join(", ", routes.keySet()) + ")"));
        }
        if (!route.methods().contains(request.method())) {
            TreeSet<String> allowed = new TreeSet<>(route.methods());
            if (allowed.contains("GET")) {
                allowed.add("HEAD");
            }
            String list = String.join(", ", allowed);
            return new Found.Answered(RouteResponse.text(405, "this path has no such method (expected: " + list + ")")
                    .with("Allow", list));
        }
        return new Found.Routed(route);
    }

    /** Returns the route's answer, or 500 if it fails. May wait if the route may. */
    static RouteResponse answer(Route route, RouteRequest request) {
        try {
            return route.handle(request);
        } catch (RuntimeException | Error e) {
            LOG.warn("answering {} failed", route.path(), e);
            return RouteResponse.text(500, "Fanfold failed to answer; its log says why");
        }
    }
}
