package io.fanfold.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.status.StatusTable;
import io.fanfold.status.StatusTable.StatusColumn;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The routes of the page: statuses, files, and the kill. */
class StatusRoutesTest {
    private static final StatusTable TABLE = new StatusTable(
            List.of(StatusColumn.text("NAME"), StatusColumn.integer("N")),
            0,
            List.of(List.of("a", 1L), List.of("b", 2L)));

    private static RouteRequest request(Map<String, List<String>> query, Map<String, String> headers, String body) {
        return new RouteRequest("GET", "/", query, headers, body.getBytes(StandardCharsets.UTF_8), true, false);
    }

    private static String text(RouteResponse response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    @Test
    void aStatusIsAListOfObjects() {
        StatusRoute route = new StatusRoute("things", viewer -> {
            assertThat(viewer.all()).isTrue();
            return TABLE;
        });
        assertThat(route.path()).isEqualTo("/api/things");
        assertThat(text(route.handle(request(Map.of(), Map.of(), ""))))
                .isEqualToIgnoringWhitespace("[{\"NAME\":\"a\",\"N\":1},{\"NAME\":\"b\",\"N\":2}]");
        assertThat(text(route.handle(request(Map.of("limit", List.of("1")), Map.of(), ""))))
                .isEqualToIgnoringWhitespace("[{\"NAME\":\"a\",\"N\":1}]");
        RouteResponse wrong = route.handle(request(Map.of("limit", List.of("all")), Map.of(), ""));
        assertThat(wrong.status()).isEqualTo(400);
        assertThat(text(wrong)).contains("limit: 'all'");
    }

    @Test
    void documentsAreMadeForEachRequest() {
        List<Integer> calls = new ArrayList<>();
        DocumentRoute route = new DocumentRoute("/api/x", () -> {
            calls.add(calls.size());
            return Map.of("n", calls.size());
        });
        route.handle(request(Map.of(), Map.of(), ""));
        assertThat(text(route.handle(request(Map.of(), Map.of(), "")))).isEqualToIgnoringWhitespace("{\"n\":2}");
    }

    @Test
    void thePageLoadsNothingFromElsewhere() {
        List<Route> files = PageRoute.all();
        assertThat(files).extracting(Route::path).containsExactly("/", "/page.css", "/page.js");
        for (Route file : files) {
            RouteResponse response = file.handle(request(Map.of(), Map.of(), ""));
            assertThat(file.openToAll()).isTrue();
            assertThat(text(response)).doesNotContain("http:", "https:", "innerHTML", "onclick", "style=");
            assertThat(response.headers().get("Content-Security-Policy")).startsWith("default-src 'none'");
        }
        assertThat(text(files.get(0).handle(request(Map.of(), Map.of(), ""))))
                .contains("href=\"page.css\"", "src=\"page.js\"");
    }

    @Test
    void aStatementIsAllowedByItsId() {
        AllowRoute route = new AllowRoute("0123456789abcdef"::equals);
        assertThat(route.methods()).containsExactly("POST");
        Map<String, String> json = Map.of("content-type", "application/json");
        assertThat(route.handle(request(Map.of(), json, "{\"id\": \"0123456789abcdef\"}"))
                        .status())
                .isEqualTo(200);
        RouteResponse unknown = route.handle(request(Map.of(), json, "{\"id\": \"1\"}"));
        assertThat(unknown.status()).isEqualTo(404);
        assertThat(text(unknown)).contains("'1'");
        for (String body : new String[] {"", "{\"id\": 1}", "{}", "{"}) {
            assertThat(route.handle(request(Map.of(), json, body)).status())
                    .as(body)
                    .isEqualTo(400);
        }
        assertThat(route.handle(request(Map.of(), Map.of(), "{\"id\": \"0123456789abcdef\"}"))
                        .status())
                .isEqualTo(415);
    }

    @Test
    void theServerDecidesAboutAKill() {
        List<String> kills = new ArrayList<>();
        KillRoute route = new KillRoute((id, user, password) -> {
            kills.add(id + " " + user + " " + password);
            return user.equals("dba") ? Optional.empty() : Optional.of("1095: You are not owner of thread " + id);
        });
        assertThat(route.methods()).containsExactly("POST");
        Map<String, String> json = Map.of("content-type", "application/json");
        RouteResponse done =
                route.handle(request(Map.of(), json, "{\"id\": 39, \"user\": \"dba\", \"password\": \"secret\"}"));
        assertThat(done.status()).isEqualTo(200);
        RouteResponse denied = route.handle(request(Map.of(), json, "{\"id\": 39, \"user\": \"guest\"}"));
        assertThat(denied.status()).isEqualTo(403);
        assertThat(text(denied)).contains("1095");
        assertThat(kills).containsExactly("39 dba secret", "39 guest ");
        for (String body : new String[] {"", "[]", "{\"id\": \"x\", \"user\": \"dba\"}", "{\"id\": 39}", "{"}) {
            assertThat(route.handle(request(Map.of(), json, body)).status())
                    .as(body)
                    .isEqualTo(400);
        }
        assertThat(route.handle(request(Map.of(), Map.of("content-type", "text/plain"), "{}"))
                        .status())
                .isEqualTo(415);
        assertThat(kills).hasSize(2);
    }
}
