package io.fanfold.it.support.proxy;

import io.fanfold.it.support.server.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A TCP forwarder between a proxy and its server that counts sequential round trips. It keeps the server's bytes of all
 * connections until both sides have been silent for a while, and then forwards them together. Each time is one round
 * trip: the proxy has sent everything that it can send without these bytes. Waits on several connections at once count
 * once. Thread-safe.
 */
public final class RoundTripRelay implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RoundTripRelay.class);

    /** The silence that shows that the proxy waits. A slower proxy would be counted too high, never too low. */
    private static final long SILENCE_NANOS = 60_000_000;

    private static final int CHUNK = 64 * 1024;

    private final ServerSocket listener;
    private final InetSocketAddress target;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();

    /** Guards the fields below and the kept bytes of all links. */
    private final Object lock = new Object();

    private boolean counting;
    private int roundTrips;
    private long lastTraffic = System.nanoTime();

    private RoundTripRelay(ServerSocket listener, InetSocketAddress target) {
        this.listener = listener;
        this.target = target;
    }

    /** Starts to forward to a server, from any free port. */
    public static RoundTripRelay before(TestServer server) throws IOException {
        ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        RoundTripRelay relay = new RoundTripRelay(listener, new InetSocketAddress(server.host(), server.port()));
        relay.daemon(relay::accept);
        relay.daemon(relay::forwardAfterSilence);
        return relay;
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Counts round trips from now on. Before, bytes pass at once. */
    public void count() {
        synchronized (lock) {
            counting = true;
            roundTrips = 0;
        }
    }

    /** Ends counting; returns the number of round trips since {@link #count}. */
    public int counted() throws IOException {
        synchronized (lock) {
            counting = false;
            forward();
            return roundTrips;
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        links.forEach(Link::close);
    }

    private interface IoTask {
        void run() throws IOException, InterruptedException;
    }

    private void daemon(IoTask task) {
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
            Link link = new Link(client, server);
            links.add(link);
            try {
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                server.connect(target);
                daemon(link::upwards);
                daemon(link::downwards);
            } catch (IOException e) {
                link.close();
            }
        }
    }

    private void forwardAfterSilence() throws IOException, InterruptedException {
        synchronized (lock) {
            while (!listener.isClosed()) {
                long left = lastTraffic + SILENCE_NANOS - System.nanoTime();
                if (left > 0) {
                    lock.wait(left / 1_000_000 + 1);
                } else if (counting && forward()) {
                    roundTrips++;
                    lastTraffic = System.nanoTime();
                } else {
                    lock.wait();
                }
            }
        }
    }

    /** Forwards what is kept; returns whether there was any. */
    private boolean forward() throws IOException {
        boolean any = false;
        for (Link link : links) {
            any |= link.forward();
        }
        return any;
    }

    private final class Link {
        private final Socket client;
        private final Socket server;
        private final List<byte[]> kept = new ArrayList<>();

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void upwards() throws IOException {
            try {
                InputStream in = client.getInputStream();
                OutputStream out = server.getOutputStream();
                byte[] chunk = new byte[CHUNK];
                for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                    synchronized (lock) {
                        lastTraffic = System.nanoTime();
                        lock.notifyAll();
                    }
                    out.write(chunk, 0, n);
                }
            } finally {
                close();
            }
        }

        void downwards() throws IOException {
            try {
                InputStream in = server.getInputStream();
                byte[] chunk = new byte[CHUNK];
                for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                    synchronized (lock) {
                        kept.add(Arrays.copyOf(chunk, n));
                        lastTraffic = System.nanoTime();
                        if (!counting) {
                            forward();
                        }
                        lock.notifyAll();
                    }
                }
            } finally {
                close();
            }
        }

        boolean forward() throws IOException {
            if (kept.isEmpty()) {
                return false;
            }
            OutputStream out = client.getOutputStream();
            for (byte[] bytes : kept) {
                out.write(bytes);
            }
            kept.clear();
            return true;
        }

        void close() {
            links.remove(this);
            try (client) {
                server.close();
            } catch (IOException e) {
                LOG.trace("a connection had ended", e);
            }
        }
    }
}
