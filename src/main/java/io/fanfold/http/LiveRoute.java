package io.fanfold.http;

/** {@code /health/live}: 200 as long as the process answers. It asks nobody. */
public record LiveRoute() implements Route {
    @Override
    public String path() {
        return "/health/live";
    }

    @Override
    public boolean mayBlock() {
        return false;
    }

    @Override
    public boolean openToThisMachine() {
        return true;
    }

    @Override
    public RouteResponse handle(RouteRequest request) {
        return RouteResponse.text(200, "live");
    }
}
