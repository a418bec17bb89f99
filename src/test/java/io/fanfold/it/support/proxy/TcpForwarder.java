package io.fanfold.it.support.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts connections on a loopback port and connects each to a server. Subclasses forward the bytes, with two threads
 * for each link. Thread-safe.
 */
abstract class TcpForwarder<L extends TcpForwarder.Link> implements AutoCloseable {
    static final int CHUNK = 64 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(TcpForwarder.class);

    private final ServerSocket listener;
    private volatile InetSocketAddress target;
    private final Set<L> links = ConcurrentHashMap.newKeySet();
    private final CountDownLatch ended = new CountDownLatch(1);

    /** Listens on a port, or on any free port if it is 0. {@link #start} accepts connections. */
    TcpForwarder(int port, InetSocketAddress target) throws IOException {
        this.listener = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        this.target = target;
    }

    /** Creates the link of a client, whose server is not connected yet. */
    abstract L link(Socket client, Socket server);

    void start() {
        daemon(() -> {
            try {
                accept();
            } finally {
                ended.countDown();
            }
        });
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Directs new connections to another server. Existing connections are unchanged. */
    void target(InetSocketAddress other) {
        target = other;
    }

    Set<L> links() {
        return links;
    }

    boolean closed() {
        return listener.isClosed();
    }

    /** Cuts all connections at once. */
    public void cutAll() {
        links.forEach(Link::close);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        try {
            // while a thread still waits in accept, the kernel may complete one more connection
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        cutAll();
    }

    interface IoTask {
        void run() throws IOException, InterruptedException;
    }

    static void daemon(IoTask task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (IOException | InterruptedException e) {
                LOG.trace("a connection ended", e);
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (!listener.isClosed()) {
            Socket client = listener.accept();
            Socket server = new Socket();
            L link = link(client, server);
            links.add(link);
            try {
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                server.connect(target);
                daemon(() -> {
                    try {
                        link.upwards();
                    } finally {
                        links.remove(link);
                    }
                });
                daemon(link::downwards);
            } catch (IOException e) {
                link.close();
            }
        }
    }

    /** A client's connection and its connection to the server. */
    abstract static class Link {
        final Socket client;
        final Socket server;

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        /** Forwards the client's bytes until a side ends. */
        abstract void upwards() throws IOException;

        /** Forwards the server's bytes until a side ends. */
        abstract void downwards() throws IOException;

        /** What is done with bytes before they are forwarded. */
        interface Watch {
            /**
             * @param chunk has the bytes
             * @param n their number
             */
            void before(byte[] chunk, int n) throws IOException;
        }

        /** Forwards bytes until a side ends, then closes both. */
        void forward(Socket from, Socket to, Watch watch) throws IOException {
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                byte[] chunk = new byte[CHUNK];
                for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                    watch.before(chunk, n);
                    out.write(chunk, 0, n);
                }
            } finally {
                close();
            }
        }

        /** Closes both sides. */
        void close() {
            try (client) {
                server.close();
            } catch (IOException e) {
                LOG.trace("a connection had ended", e);
            }
        }
    }
}
