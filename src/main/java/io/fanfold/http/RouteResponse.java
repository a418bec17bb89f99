package io.fanfold.http;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * A complete response.
 *
 * @param status 200 to 599
 * @param contentType the body's type, with its character set
 * @param headers further headers; they replace those that the server sets
 */
public record RouteResponse(int status, String contentType, byte[] body, Map<String, String> headers) {
    public RouteResponse {
        headers = Map.copyOf(headers);
    }

    public RouteResponse(int status, String contentType, byte[] body) {
        this(status, contentType, body, Map.of());
    }

    /** Returns a response of one line of text. */
    public static RouteResponse text(int status, String line) {
        return new RouteResponse(status, "text/plain; charset=utf-8", (line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a response whose body is JSON text. */
    public static RouteResponse json(int status, byte[] body) {
        return new RouteResponse(status, "application/json", body);
    }

    /** Returns this response with one more header. */
    public RouteResponse with(String name, String value) {
        Map<String, String> more = new HashMap<>(headers);
        more.put(name, value);
        return new RouteResponse(status, contentType, body, more);
    }
}
