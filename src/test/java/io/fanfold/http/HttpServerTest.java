package io.fanfold.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.fanfold.config.HttpConfig;
import io.fanfold.config.Secret;
import io.fanfold.tls.Encryption;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The server with routes of this test, asked over its port. */
class HttpServerTest {
    private static final String TOKEN = "Zm9yIHRlc3RzIG9ubHk=";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final CountDownLatch released = new CountDownLatch(1);

    /** Answers with its name and the request's body. */
    private record Echo(String path, Set<String> methods, boolean mayBlock, boolean openToThisMachine)
            implements Route {
        @Override
        public RouteResponse handle(RouteRequest request) {
            return RouteResponse.text(
                    200,
                    path + " " + request.method() + " " + request.query() + " "
                            + new String(request.body(), StandardCharsets.UTF_8));
        }
    }

    private record Broken() implements Route {
        @Override
        public String path() {
            return "/broken";
        }

        @Override
        public boolean mayBlock() {
            return true;
        }

        @Override
        public RouteResponse handle(RouteRequest request) {
            throw new IllegalStateException("for this test");
        }
    }

    private record Slow(CountDownLatch released) implements Route {
        @Override
        public String path() {
            return "/slow";
        }

        @Override
        public boolean mayBlock() {
            return true;
        }

        @Override
        public RouteResponse handle(RouteRequest request) {
            try {
                released.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return RouteResponse.text(200, "slow");
        }
    }

    private HttpServer start(Secret token, Duration patience) throws Exception {
        return HttpServer.start(
                HttpConfig.defaults().withEnabled(true).withPort(0).withToken(token),
                false,
                List.of(
                        new Echo("/plain", Set.of("GET"), false, false),
                        new Echo("/waits", Set.of("GET"), true, false),
                        new Echo("/open", Set.of("GET"), false, true),
                        new Echo("/post", Set.of("POST"), true, false),
                        new Broken(),
                        new Slow(released)),
                Encryption.none(),
                patience);
    }

    private HttpServer start() throws Exception {
        return start(Secret.EMPTY, PATIENCE);
    }

    private HttpResponse<String> send(HttpServer server, String method, String path, String body, String... headers)
            throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> get(HttpServer server, String path, String... headers) throws Exception {
        return send(server, "GET", path, "", headers);
    }

    private static String lines(String... lines) {
        return String.join("\r\n", lines) + "\r\n\r\n";
    }

    /** Sends the bytes and returns all that comes until the server closes. */
    private static String raw(HttpServer server, String bytes) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @Test
    void routesGetTheirRequests() throws Exception {
        try (HttpServer server = start()) {
            for (String path : List.of("/plain", "/waits")) {
                HttpResponse<String> response = get(server, path + "?a=1&a=%20&b");
                assertThat(response.statusCode()).isEqualTo(200);
                assertThat(response.body()).isEqualTo(path + " GET {a=[1,  ], b=[]} \n");
            }
            assertThat(send(server, "POST", "/post", "stop it").body()).isEqualTo("/post POST {} stop it\n");
        }
    }

    @Test
    void everyAnswerHasTheSafeHeaders() throws Exception {
        try (HttpServer server = start()) {
            for (String path : List.of("/plain", "/nowhere", "/post", "/broken")) {
                assertThat(get(server, path).headers().map())
                        .as(path)
                        .containsEntry("x-content-type-options", List.of("nosniff"))
                        .containsEntry("cache-control", List.of("no-store"))
                        .containsEntry("content-security-policy", List.of("default-src 'none'; frame-ancestors 'none'"))
                        .doesNotContainKey("server");
            }
            String huge = "x".repeat(HttpServer.MOST_BODY_BYTES + 1);
            assertThat(raw(
                            server,
                            "POST /post HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "
                                    + huge.length() + "\r\n\r\n"))
                    .startsWith("HTTP/1.1 413 ")
                    .containsIgnoringCase("x-content-type-options: nosniff");
        }
    }

    @Test
    void mistakesAreNamed() throws Exception {
        try (HttpServer server = start()) {
            HttpResponse<String> missing = get(server, "/nowhere");
            assertThat(missing.statusCode()).isEqualTo(404);
            assertThat(missing.body()).contains("expected: /plain, /waits, /open, /post, /broken, /slow");
            HttpResponse<String> method = send(server, "PUT", "/plain", "");
            assertThat(method.statusCode()).isEqualTo(405);
            assertThat(method.headers().firstValue("allow")).contains("GET, HEAD");
            assertThat(get(server, "/post").headers().firstValue("allow")).contains("POST");
            assertThat(get(server, "/broken").statusCode()).isEqualTo(500);
            assertThat(get(server, "/broken").body()).doesNotContain("for this test");
        }
    }

    @Test
    void headHasTheHeadersAndNoBody() throws Exception {
        try (HttpServer server = start()) {
            HttpResponse<String> head = send(server, "HEAD", "/plain", "");
            assertThat(head.statusCode()).isEqualTo(200);
            assertThat(head.body()).isEmpty();
            assertThat(head.headers().firstValue("content-length"))
                    .contains(String.valueOf("/plain GET {} \n".length()));
        }
    }

    @Test
    void malformedAndOversizedRequestsAreRefused() throws Exception {
        try (HttpServer server = start()) {
            assertThat(raw(server, "\u0000\u0001 nonsense\r\n\r\n")).startsWith("HTTP/1.1 400 ");
            assertThat(raw(server, "GET /" + "a".repeat(HttpServer.MOST_LINE_BYTES) + " HTTP/1.1\r\n\r\n"))
                    .startsWith("HTTP/1.1 414 ");
            assertThat(raw(
                            server,
                            "GET /plain HTTP/1.1\r\nA: " + "a".repeat(HttpServer.MOST_HEADER_BYTES) + "\r\n\r\n"))
                    .startsWith("HTTP/1.1 431 ");
            assertThat(raw(server, "GET /%zz HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 400 ");
            // a request with two lengths could be read differently by a proxy in front
            assertThat(raw(
                            server,
                            "POST /post HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding:"
                                    + " chunked\r\nConnection: close\r\n\r\n0\r\n\r\nGET /plain HTTP/1.1\r\n\r\n"))
                    .doesNotContain("/plain GET");
            assertThat(get(server, "/plain").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void requestsThatComeTogetherAreAnsweredInTheirOrder() throws Exception {
        try (HttpServer server = start()) {
            String answers = raw(
                    server,
                    lines("GET /waits?1 HTTP/1.1", "Host: localhost")
                            + lines("GET /plain?2 HTTP/1.1", "Host: localhost")
                            + lines("GET /waits?3 HTTP/1.0"));
            assertThat(answers.replaceAll("(?s)HTTP/1.1 200 OK.*?\r\n\r\n", ""))
                    .isEqualTo("/waits GET {1=[]} \n/plain GET {2=[]} \n/waits GET {3=[]} \n");
        }
    }

    @Test
    void withATokenOnlyItsBearersAreServed() throws Exception {
        try (HttpServer server = start(new Secret(TOKEN), PATIENCE)) {
            HttpResponse<String> none = get(server, "/plain");
            assertThat(none.statusCode()).isEqualTo(401);
            assertThat(none.headers().firstValue("www-authenticate")).contains("Bearer realm=\"fanfold\"");
            assertThat(get(server, "/nowhere").statusCode())
                    .as("paths are not shown")
                    .isEqualTo(401);
            for (String wrong : List.of("Bearer", "Bearer ", "Bearer " + TOKEN + "x", "Basic " + TOKEN, TOKEN)) {
                assertThat(get(server, "/plain", "Authorization", wrong).statusCode())
                        .as(wrong)
                        .isEqualTo(401);
            }
            assertThat(get(server, "/plain", "Authorization", "bearer " + TOKEN).statusCode())
                    .isEqualTo(200);
            assertThat(get(server, "/open").statusCode())
                    .as("from this machine")
                    .isEqualTo(200);
        }
    }

    /** A page from elsewhere, open in a browser on this machine, has its own host name in its requests. */
    @Test
    void withoutATokenTheHostMustBeThisMachine() throws Exception {
        try (HttpServer server = start()) {
            for (String host : List.of("localhost", "LOCALHOST:80", "127.0.0.1:1", "127.9.9.9", "[::1]:5", "[::1]")) {
                assertThat(raw(server, "GET /plain HTTP/1.1\r\nConnection: close\r\nHost: " + host + "\r\n\r\n"))
                        .as(host)
                        .startsWith("HTTP/1.1 200 ");
            }
            for (String host : List.of("evil.example", "127.0.0.1.evil.example", "10.0.0.1:80", "[::2]", "")) {
                assertThat(raw(server, "GET /plain HTTP/1.1\r\nConnection: close\r\nHost: " + host + "\r\n\r\n"))
                        .as(host)
                        .startsWith("HTTP/1.1 403 ");
            }
        }
    }

    @Test
    void silentConnectionsMakeRoomForOthers() throws Exception {
        List<Socket> silent = new ArrayList<>();
        try (HttpServer server = start()) {
            for (int i = 0; i < HttpServer.MOST_CONNECTIONS + 10; i++) {
                silent.add(new Socket(InetAddress.getLoopbackAddress(), server.port()));
            }
            assertThat(get(server, "/plain").statusCode()).isEqualTo(200);
            assertThat(silent.get(0).getInputStream().read())
                    .as("the first has been closed")
                    .isEqualTo(-1);
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    @Test
    void aClientThatDoesNotSendItsRequestIsDisconnected() throws Exception {
        try (HttpServer server = start(Secret.EMPTY, Duration.ofMillis(200));
                Socket slow = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            slow.getOutputStream().write("GET /plain HTTP/1.1\r\nHost: loc".getBytes(StandardCharsets.US_ASCII));
            InputStream in = slow.getInputStream();
            assertThat(in.read()).isEqualTo(-1);
        }
    }

    @Test
    void slowRoutesDoNotDelayOthers() throws Exception {
        try (HttpServer server = start();
                Socket first = new Socket(InetAddress.getLoopbackAddress(), server.port());
                Socket second = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            for (Socket socket : List.of(first, second)) {
                socket.getOutputStream().write("GET /slow HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            }
            assertThat(get(server, "/plain").statusCode()).isEqualTo(200);
            released.countDown();
            for (Socket socket : List.of(first, second)) {
                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                        .endsWith("slow\n");
            }
        }
    }

    @Test
    void closingEndsAllConnections() throws Exception {
        HttpServer server = start();
        try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            assertThat(get(server, "/plain").statusCode()).isEqualTo(200);
            server.close();
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
            server.close();
        }
    }

    @Test
    void aTakenPortIsNamed() throws Exception {
        try (HttpServer server = start()) {
            HttpConfig same = HttpConfig.defaults().withEnabled(true).withPort(server.port());
            assertThatIOException()
                    .isThrownBy(() -> HttpServer.start(same, false, List.of(), Encryption.none())
                            .close())
                    .withMessageStartingWith("cannot listen on 127.0.0.1:" + server.port() + " for HTTP: ");
        }
    }
}
