package io.fanfold.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HttpConfig;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.config.ListenerTlsConfig.ListenerTlsMode;
import io.fanfold.config.Secret;
import io.fanfold.tls.Encryption;
import io.fanfold.tls.TestAuthority;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import javax.net.ssl.SSLHandshakeException;
import org.bouncycastle.asn1.x509.GeneralName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The HTTP port with a certificate, asked by clients with and without one of their own. */
class HttpServerTlsTest {
    private static final String TOKEN = "Zm9yIHRlc3RzIG9ubHk=";

    private final Encryption none = Encryption.none();
    private TestAuthority authority;
    private TestAuthority.Pair ofServer;

    /** Says whether the client has shown a certificate. */
    private record Certified() implements Route {
        @Override
        public String path() {
            return "/certified";
        }

        @Override
        public boolean mayBlock() {
            return false;
        }

        @Override
        public RouteResponse handle(RouteRequest request) {
            return RouteResponse.text(200, String.valueOf(request.certified()));
        }
    }

    @BeforeEach
    void certificates(@TempDir Path folder) throws IOException {
        authority = TestAuthority.in(folder);
        ofServer = authority.sign("proxy", new GeneralName(GeneralName.iPAddress, "127.0.0.1"));
    }

    @AfterEach
    void close() {
        none.close();
    }

    /** @param clients whether the port asks for client certificates */
    private HttpConfig config(Secret token, boolean clients) {
        ListenerTlsConfig tls =
                ListenerTlsConfig.of(ListenerTlsMode.REQUIRED).withCertificate(ofServer.certificate(), ofServer.key());
        return HttpConfig.defaults()
                .withEnabled(true)
                .withPort(0)
                .withToken(token)
                .withTls(clients ? tls.withClientCa(authority.file(), false) : tls);
    }

    private HttpClient client(TestAuthority.@Nullable Pair own) throws IOException {
        SslContextBuilder context = SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(authority.file().toFile());
        if (own != null) {
            context.keyManager(own.certificate().toFile(), own.key().toFile());
        }
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(((JdkSslContext) context.build()).context())
                .build();
    }

    private static HttpResponse<String> get(HttpServer server, HttpClient client, String... headers) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + server.port() + "/certified"));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    @Test
    void aCertificateCountsAsTheToken() throws Exception {
        HttpConfig config = config(new Secret(TOKEN), true);
        try (Encryption encryption = Encryption.open(FanfoldConfig.defaults().withHttp(config));
                HttpServer server = HttpServer.start(config, false, List.of(new Certified()), encryption)) {
            assertThat(get(server, client(authority.sign("monitor"))).body()).isEqualTo("true\n");
            assertThat(get(server, client(null)).statusCode()).isEqualTo(401);
            assertThat(get(server, client(null), "Authorization", "Bearer " + TOKEN)
                            .body())
                    .isEqualTo("false\n");
        }
    }

    @Test
    void withoutATokenOnlyACertificateIsAccepted() throws Exception {
        HttpConfig config = config(Secret.EMPTY, true);
        try (Encryption encryption = Encryption.open(FanfoldConfig.defaults().withHttp(config));
                HttpServer server = HttpServer.start(config, false, List.of(new Certified()), encryption)) {
            assertThat(get(server, client(authority.sign("monitor"))).body()).isEqualTo("true\n");
            HttpResponse<String> refused = get(server, client(null));
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body()).contains("a client certificate is needed");
        }
    }

    @Test
    void aCertificateOfAnotherAuthorityIsRefused(@TempDir Path folder) throws Exception {
        HttpConfig config = config(Secret.EMPTY, true);
        TestAuthority.Pair foreign = TestAuthority.in(folder).sign("monitor");
        try (Encryption encryption = Encryption.open(FanfoldConfig.defaults().withHttp(config));
                HttpServer server = HttpServer.start(config, false, List.of(new Certified()), encryption)) {
            // with TLS 1.3 the client may learn it only when it reads; some clients do not send it at all
            try {
                assertThat(get(server, client(foreign)).statusCode()).isEqualTo(403);
            } catch (IOException e) {
                assertThat(e).hasMessageNotContaining("unable to find valid certification path");
            }
        }
    }

    @Test
    void aClientThatDoesNotTrustTheCertificateGetsNothing() throws Exception {
        HttpConfig config = config(new Secret(TOKEN), false);
        try (Encryption encryption = Encryption.open(FanfoldConfig.defaults().withHttp(config));
                HttpServer server = HttpServer.start(config, false, List.of(new Certified()), encryption)) {
            assertThatExceptionOfType(SSLHandshakeException.class)
                    .isThrownBy(() -> get(server, HttpClient.newHttpClient()));
        }
    }

    @Test
    void aRequestInClearTextGetsNoAnswer() throws Exception {
        HttpConfig config = config(Secret.EMPTY, false);
        try (Encryption encryption = Encryption.open(FanfoldConfig.defaults().withHttp(config));
                HttpServer server = HttpServer.start(config, false, List.of(new Certified()), encryption);
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
                OutputStream out = socket.getOutputStream();
                InputStream in = socket.getInputStream()) {
            out.write("GET /certified HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1))
                    .doesNotContain("HTTP");
        }
    }

    @Test
    void aChangedCertificateIsUsed() throws Exception {
        HttpConfig config = config(Secret.EMPTY, false);
        try (Encryption encryption = Encryption.open(FanfoldConfig.defaults().withHttp(config));
                HttpServer server = HttpServer.start(config, false, List.of(new Certified()), encryption)) {
            assertThat(get(server, client(null)).body()).isEqualTo("false\n");
            TestAuthority.Pair other = authority.sign("other", new GeneralName(GeneralName.iPAddress, "127.0.0.1"));
            Files.copy(other.key(), ofServer.key(), StandardCopyOption.REPLACE_EXISTING);
            Files.copy(other.certificate(), ofServer.certificate(), StandardCopyOption.REPLACE_EXISTING);
            encryption.look();
            HttpResponse<String> response = get(server, client(null));
            assertThat(response.sslSession()
                            .orElseThrow()
                            .getPeerCertificates()[0]
                            .toString())
                    .contains("CN=other");
        }
    }
}
