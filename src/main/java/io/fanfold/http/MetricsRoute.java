package io.fanfold.http;

import io.fanfold.metrics.Exposition;
import io.fanfold.metrics.Meters;

/** {@code /metrics}: all meters, in the Prometheus text format or as OpenMetrics. */
public record MetricsRoute(Meters meters) implements Route {
    @Override
    public String path() {
        return "/metrics";
    }

    /** {@code fanfold_backend_up} may wait for the server. */
    @Override
    public boolean mayBlock() {
        return true;
    }

    @Override
    public RouteResponse handle(RouteRequest request) {
        Exposition exposition = meters.scrape(request.header("accept").orElse(null));
        return new RouteResponse(200, exposition.contentType(), exposition.body());
    }
}
