package io.fanfold.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.BackendTlsConfig.BackendTlsMode;
import io.fanfold.config.BackendTlsConfig.Verify;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.bouncycastle.asn1.x509.GeneralName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Blocking connections to a TLS server with given responses. */
class BackendTlsTest {
    private static final byte[] TEXT = new byte[1000];

    static {
        new Random(1).nextBytes(TEXT);
    }

    @TempDir
    Path folder = Path.of("");

    /** Accepts connections, and sends {@link #TEXT} on each. */
    private static final class Sender implements AutoCloseable {
        private final SSLServerSocket listener;
        private final BlockingQueue<String> peers = new LinkedBlockingQueue<>();

        Sender(TestAuthority.Pair pair, @Nullable Path clientCa) throws Exception {
            SslContextBuilder builder = SslContextBuilder.forServer(
                            pair.certificate().toFile(), pair.key().toFile())
                    .sslProvider(SslProvider.JDK);
            if (clientCa != null) {
                builder.trustManager(clientCa.toFile());
            }
            JdkSslContext context = (JdkSslContext) builder.build();
            listener = (SSLServerSocket) context.context()
                    .getServerSocketFactory()
                    .createServerSocket(0, 10, InetAddress.getLoopbackAddress());
            listener.setNeedClientAuth(clientCa != null);
            Thread thread = new Thread(this::run, "tls-sender");
            thread.setDaemon(true);
            thread.start();
        }

        private void run() {
            while (!listener.isClosed()) {
                try (SSLSocket socket = (SSLSocket) listener.accept()) {
                    socket.startHandshake();
                    if (listener.getNeedClientAuth()) {
                        peers.add(socket.getSession().getPeerPrincipal().getName());
                    }
                    socket.getOutputStream().write(TEXT);
                    socket.getInputStream().read();
                } catch (IOException e) {
                    // the next connection may succeed
                }
            }
        }

        Socket connect() throws IOException {
            return new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort());
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }

    private static void reads(BackendTls tls, Sender sender, String name) throws Exception {
        try (Socket socket = sender.connect()) {
            SSLSocket encrypted = tls.encrypt(socket, name, socket.getPort());
            assertThat(encrypted.getInputStream().readNBytes(TEXT.length)).isEqualTo(TEXT);
        }
    }

    @Test
    void theServersCertificateIsCheckedAsConfigured() throws Exception {
        TestAuthority authority = TestAuthority.in(folder);
        Path stranger = TestAuthority.in(java.nio.file.Files.createDirectory(folder.resolve("other")))
                .file();
        BackendTlsConfig any = BackendTlsConfig.of(BackendTlsMode.REQUIRED);
        TestAuthority.Pair pair = authority.sign("db.example", new GeneralName(GeneralName.dNSName, "db.example"));
        try (Sender sender = new Sender(pair, null)) {
            reads(new BackendTls(any), sender, "elsewhere.example");
            reads(new BackendTls(any.with(Verify.VERIFY_CA, authority.file())), sender, "elsewhere.example");
            reads(new BackendTls(any.with(Verify.VERIFY_IDENTITY, authority.file())), sender, "db.example");
            for (BackendTlsConfig refused : new BackendTlsConfig[] {
                any.with(Verify.VERIFY_CA, stranger),
                any.with(Verify.VERIFY_CA, null),
                any.with(Verify.VERIFY_IDENTITY, authority.file())
            }) {
                assertThatThrownBy(() -> reads(new BackendTls(refused), sender, "elsewhere.example"))
                        .as("%s", refused)
                        .isInstanceOf(SSLException.class);
            }
        }
    }

    @Test
    void theServerIsShownACertificate() throws Exception {
        TestAuthority authority = TestAuthority.in(folder);
        TestAuthority.Pair own = authority.sign("proxy");
        try (Sender sender = new Sender(authority.sign("server"), authority.file())) {
            reads(
                    new BackendTls(
                            BackendTlsConfig.of(BackendTlsMode.REQUIRED).withCertificate(own.certificate(), own.key())),
                    sender,
                    "server");
            assertThat(sender.peers.take()).isEqualTo("CN=proxy");
            assertThatThrownBy(
                            () -> reads(new BackendTls(BackendTlsConfig.of(BackendTlsMode.REQUIRED)), sender, "server"))
                    .isInstanceOf(IOException.class);
        }
    }

    /** Worker connections read with a timeout, then check whether to go on, and read again. No byte may be lost. */
    @Test
    void aReadThatTimesOutInsideARecordContinues() throws Exception {
        TestAuthority authority = TestAuthority.in(folder);
        try (Sender sender = new Sender(authority.sign("server"), null);
                ServerSocket between = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CountDownLatch asked = new CountDownLatch(1);
            Thread forward = new Thread(() -> forward(between, sender, asked), "tls-forward");
            forward.setDaemon(true);
            forward.start();
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), between.getLocalPort())) {
                SSLSocket encrypted = new BackendTls(BackendTlsConfig.of(BackendTlsMode.REQUIRED))
                        .encrypt(socket, "server", socket.getPort());
                socket.setSoTimeout(50);
                byte[] read = new byte[TEXT.length];
                int at = 0;
                int times = 0;
                while (at < read.length) {
                    try {
                        at += encrypted.getInputStream().read(read, at, read.length - at);
                    } catch (SocketTimeoutException e) {
                        times++;
                        asked.countDown();
                    }
                }
                assertThat(read).isEqualTo(TEXT);
                assertThat(times).isPositive();
            }
        }
    }

    /** Forwards bytes in both directions. The record with the text stops half-way until the reader has timed out. */
    private static void forward(ServerSocket between, Sender sender, CountDownLatch asked) {
        try (Socket client = between.accept();
                Socket server = sender.connect()) {
            Thread back = new Thread(() -> {
                try {
                    client.getInputStream().transferTo(server.getOutputStream());
                } catch (IOException e) {
                    // ended
                }
            });
            back.setDaemon(true);
            back.start();
            InputStream in = server.getInputStream();
            OutputStream out = client.getOutputStream();
            while (true) {
                byte[] header = in.readNBytes(5);
                if (header.length < 5) {
                    return;
                }
                byte[] body = in.readNBytes((header[3] & 0xff) << 8 | header[4] & 0xff);
                out.write(header);
                if (body.length > TEXT.length && header[0] == 23) {
                    out.write(body, 0, 300);
                    out.flush();
                    asked.await();
                    out.write(body, 300, body.length - 300);
                } else {
                    out.write(body);
                }
                out.flush();
            }
        } catch (IOException | InterruptedException e) {
            // ended
        }
    }
}
