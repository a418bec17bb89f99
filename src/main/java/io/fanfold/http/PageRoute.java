package io.fanfold.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

/** A file of the page, from the jar. It has no secrets, so everybody on this machine may read it. Thread-safe. */
public final class PageRoute implements Route {
    /** Scripts and styles come from this port only, and no other page may frame this one. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private final String path;
    private final String contentType;
    private final byte[] content;

    private PageRoute(String path, String file, String contentType) {
        this.path = path;
        this.contentType = contentType;
        try (InputStream resource = PageRoute.class.getResourceAsStream("page/" + file)) {
            if (resource == null) {
                throw new IllegalStateException("the jar lacks the page's file " + file);
            }
            this.content = resource.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the routes of all files. */
    public static List<Route> all() {
        return List.of(
                new PageRoute("/", "index.html", "text/html; charset=utf-8"),
                new PageRoute("/page.css", "page.css", "text/css; charset=utf-8"),
                new PageRoute("/page.js", "page.js", "text/javascript; charset=utf-8"));
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public boolean mayBlock() {
        return false;
    }

    @Override
    public boolean openToAll() {
        return true;
    }

    @Override
    public RouteResponse handle(RouteRequest request) {
        return new RouteResponse(200, contentType, content).with("Content-Security-Policy", POLICY);
    }
}
