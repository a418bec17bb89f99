package io.fanfold.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.fanfold.config.ListenerConfig;
import io.fanfold.session.channel.Transport;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** For each transport that this platform has. */
@ParameterizedClass
@MethodSource("transports")
class ListenersTest {
    private final Transport transport;
    private final EventLoopGroup acceptor;
    private final EventLoopGroup loops;
    private final List<Listeners> open = new ArrayList<>();

    @TempDir
    Path folder = Path.of("");

    ListenersTest(Transport transport) {
        this.transport = transport;
        this.acceptor = new MultiThreadIoEventLoopGroup(1, transport.handlers());
        this.loops = new MultiThreadIoEventLoopGroup(1, transport.handlers());
    }

    static Set<Transport> transports() {
        return EnumSet.of(Transport.best(), Transport.NIO);
    }

    @AfterEach
    void closeAll() throws Exception {
        for (Listeners each : open) {
            each.close();
        }
        acceptor.shutdownGracefully(0, 0, TimeUnit.SECONDS).await();
        loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).await();
    }

    private static ListenerConfig shared(int port) {
        return new ListenerConfig("127.0.0.1", port, 100, Duration.ZERO).withReusePort(true);
    }

    private static ListenerConfig alone() {
        return shared(0).withReusePort(false);
    }

    /** Opens listeners that put each accepted client into the queue. */
    private Listeners listen(ListenerConfig config, BlockingQueue<Channel> clients) throws Exception {
        Listeners listeners = Listeners.open(config, transport, acceptor, loops, new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel client) {
                clients.add(client);
            }

            @Override
            public boolean isSharable() {
                return true;
            }
        });
        open.add(listeners);
        return listeners;
    }

    private static Socket connect(int port) throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port);
    }

    @Test
    void onlyASharedPortHasTwoListeners() throws Exception {
        int port = listen(shared(0), new LinkedBlockingQueue<>()).port();
        assertThat(listen(shared(port), new LinkedBlockingQueue<>()).port()).isEqualTo(port);
        assertThatIOException()
                .isThrownBy(() -> listen(shared(port).withReusePort(false), new LinkedBlockingQueue<>()))
                .withMessage("cannot listen on 127.0.0.1:" + port + ": the address is already in use");

        int alone = listen(shared(0).withReusePort(false), new LinkedBlockingQueue<>())
                .port();
        assertThatIOException()
                .isThrownBy(() -> listen(shared(alone), new LinkedBlockingQueue<>()))
                .withMessage("cannot listen on 127.0.0.1:" + alone + ": the address is already in use"
                        + " (by another user, or by a process without listener.reuse-port)");
    }

    @Test
    void clientsThatTheKernelHasQueuedAreAcceptedBeforeTheEnd() throws Exception {
        BlockingQueue<Channel> clients = new LinkedBlockingQueue<>();
        Listeners listeners = listen(shared(0).withSocket(folder.resolve("s")), clients);
        try (Socket first = connect(listeners.port())) {
            assertThat(clients.poll(20, TimeUnit.SECONDS)).isNotNull();
            // from here on the kernel alone takes clients
            acceptor.submit(() -> listeners.tcp().channel().config().setAutoRead(false))
                    .await();
            List<Socket> queued = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                queued.add(connect(listeners.port()));
            }
            assertThat(clients).isEmpty();
            listeners.handOver();
            for (Socket each : queued) {
                Channel accepted = clients.poll(20, TimeUnit.SECONDS);
                assertThat(accepted).isNotNull();
                assertThat(accepted.isActive()).isTrue();
                each.close();
            }
            assertThat(first.isConnected()).isTrue();
            assertThatIOException().isThrownBy(() -> connect(listeners.port()).close());
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void aNewProcessTakesOverTheSocketsFileAndKeepsIt() throws Exception {
        Path path = folder.resolve("s");
        BlockingQueue<Channel> before = new LinkedBlockingQueue<>();
        BlockingQueue<Channel> after = new LinkedBlockingQueue<>();
        Listeners old = listen(shared(0).withSocket(path), before);
        assertThat(old).hasToString("/127.0.0.1:" + old.port() + " and " + path);
        try (SocketChannel first = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            assertThat(before.poll(20, TimeUnit.SECONDS)).isNotNull();
            Listeners next = listen(shared(old.port()).withSocket(path), after);
            old.handOver();
            assertThat(first.isOpen()).isTrue();
            try (SocketChannel second = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
                assertThat(after.poll(20, TimeUnit.SECONDS)).isNotNull();
                assertThat(second.isOpen()).isTrue();
            }
            next.close();
        }
        assertThat(path).doesNotExist();
    }

    @Test
    void aProcessThatEndsKeepsTheSocketThatAnotherOneHasBoundMeanwhile() throws Exception {
        Path path = folder.resolve("s");
        Listeners old = listen(alone().withSocket(path), new LinkedBlockingQueue<>());
        Files.delete(path);
        BlockingQueue<Channel> after = new LinkedBlockingQueue<>();
        listen(alone().withSocket(path), after);
        old.close();
        try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            assertThat(after.poll(20, TimeUnit.SECONDS)).isNotNull();
            assertThat(client.isOpen()).isTrue();
        }
    }

    @Test
    void aSocketThatAnotherProcessListensToStays() throws Exception {
        Path path = folder.resolve("s");
        BlockingQueue<Channel> clients = new LinkedBlockingQueue<>();
        listen(alone().withSocket(path), clients);
        assertThatIOException()
                .isThrownBy(() -> listen(alone().withSocket(path), new LinkedBlockingQueue<>()))
                .withMessage("cannot listen on " + path + ": another process listens there");
        try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            assertThat(clients.poll(20, TimeUnit.SECONDS)).isNotNull();
            assertThat(client.isOpen()).isTrue();
        }
    }

    @Test
    void aSocketThatAnEndedProcessHasLeftIsReplaced() throws Exception {
        Path path = folder.resolve("s");
        try (ServerSocketChannel left = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            left.bind(UnixDomainSocketAddress.of(path));
        }
        BlockingQueue<Channel> clients = new LinkedBlockingQueue<>();
        listen(alone().withSocket(path), clients);
        try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            assertThat(clients.poll(20, TimeUnit.SECONDS)).isNotNull();
            assertThat(client.isOpen()).isTrue();
        }
    }

    @Test
    void aFileThatIsNoSocketIsNotTakenOver() throws Exception {
        Path path = Files.writeString(folder.resolve("s"), "precious");
        assertThatIOException()
                .isThrownBy(() -> listen(shared(0).withSocket(path), new LinkedBlockingQueue<>()))
                .withMessage("cannot listen on " + path + ": the file exists and is not a socket");
        assertThat(path).hasContent("precious");
    }
}
