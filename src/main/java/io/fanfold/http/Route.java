package io.fanfold.http;

import java.util.Set;

/** Answers the requests for one path. Thread-safe. */
public interface Route {
    /** The path, such as {@code /health/live}. */
    String path();

    /** The methods it answers, in upper case. The server answers HEAD itself where there is GET. */
    default Set<String> methods() {
        return Set.of("GET");
    }

    /** Whether {@link #handle} may wait, for instance for the database server. It then runs outside the event loop. */
    boolean mayBlock();

    /**
     * Whether programs on this machine may ask without the token, if there is one. For health checks, which supervisors
     * run without secrets.
     */
    default boolean openToThisMachine() {
        return false;
    }

    /** Whether it needs no token, because its answer is the same for everybody. */
    default boolean openToAll() {
        return false;
    }

    /**
     * Answers a request. If it throws, the client gets 500 and the log the exception.
     *
     * @param request with one of {@link #methods}
     */
    RouteResponse handle(RouteRequest request);
}
