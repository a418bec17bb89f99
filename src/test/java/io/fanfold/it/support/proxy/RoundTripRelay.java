package io.fanfold.it.support.proxy;

import io.fanfold.it.support.server.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A TCP forwarder between a proxy and its server that counts sequential round trips. It keeps the server's bytes of all
 * connections until both sides have been silent for a while, and then forwards them together. Each time is one round
 * trip: the proxy has sent everything that it can send without these bytes. Waits on several connections at once count
 * once. Thread-safe.
 */
public final class RoundTripRelay extends TcpForwarder<RoundTripRelay.KeepingLink> {
    /** The silence that shows that the proxy waits. A slower proxy would be counted too high, never too low. */
    private static final long SILENCE_NANOS = 60_000_000;

    /** Guards the fields below and the kept bytes of all links. */
    private final Object lock = new Object();

    private boolean counting;
    private int roundTrips;
    private long lastTraffic = System.nanoTime();

    private RoundTripRelay(InetSocketAddress target) throws IOException {
        super(0, target);
    }

    /** Starts to forward to a server, from any free port. */
    public static RoundTripRelay before(TestServer server) throws IOException {
        RoundTripRelay relay = new RoundTripRelay(new InetSocketAddress(server.host(), server.port()));
        relay.start();
        daemon(relay::forwardAfterSilence);
        return relay;
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
    KeepingLink link(Socket client, Socket server) {
        return new KeepingLink(client, server);
    }

    private void forwardAfterSilence() throws IOException, InterruptedException {
        synchronized (lock) {
            while (!closed()) {
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
        for (KeepingLink link : links()) {
            any |= link.forward();
        }
        return any;
    }

    /** A link that keeps the server's bytes. */
    final class KeepingLink extends Link {
        private final List<byte[]> kept = new ArrayList<>();

        KeepingLink(Socket client, Socket server) {
            super(client, server);
        }

        @Override
        void upwards() throws IOException {
            forward(client, server, (chunk, n) -> {
                synchronized (lock) {
                    lastTraffic = System.nanoTime();
                    lock.notifyAll();
                }
            });
        }

        @Override
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
    }
}
