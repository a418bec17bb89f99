package io.fanfold.it;

import io.fanfold.wire.Capability;
import java.io.Closeable;
import java.io.IOException;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients that mean harm, each in a thread of its own, which does the same again and again until they are stopped; they are
 * stopped by closing their sockets. Safe for all threads.
 */
final class Attackers implements AutoCloseable {
    private static final int READ = 1 << 16;

    private final String host;
    private final int port;
    private final AtomicBoolean stop = new AtomicBoolean();
    private final Queue<Closeable> sockets = new ConcurrentLinkedQueue<>();
    private final Queue<Future<Integer>> threads = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytes = new AtomicLong();

    /** What one of them does; an {@link IOException} ends a turn of it and no more. */
    interface Attack {
        /** @param number which of them it is, from 0 */
        void run(int number) throws Exception;
    }

    Attackers(String host, int port) {
        this.host = host;
        this.port = port;
    }

    /** Starts so many of them. */
    void start(int number, Attack attack) {
        for (int i = 0; i < number; i++) {
            int which = i;
            threads.add(Background.start(() -> {
                int turns = 0;
                while (goOn()) {
                    try {
                        attack.run(which);
                    } catch (IOException e) {
                        // given up, or stopped
                    }
                    turns++;
                }
                return turns;
            }));
        }
    }

    boolean goOn() {
        return !stop.get();
    }

    /** A connection that is closed at the end. */
    Socket connect() throws IOException {
        return closing(new Socket(host, port));
    }

    /** Logs in, with those capabilities beside the usual ones. */
    BinaryClient login(long capabilities) throws IOException {
        return closing(new BinaryClient(host, port, BinaryClient.USUAL | Capability.DEPRECATE_EOF | capabilities));
    }

    private <T extends Closeable> T closing(T socket) throws IOException {
        sockets.add(socket);
        if (!goOn()) {
            socket.close();
        }
        return socket;
    }

    /** Writes the same again and again, until it fails. */
    void flood(BinaryClient client, byte[] packets) throws IOException {
        while (goOn()) {
            client.writeRaw(packets);
            bytes.addAndGet(packets.length);
        }
    }

    /** Reads whatever comes, in a thread of its own. */
    void drain(BinaryClient client) {
        threads.add(Background.start(() -> read(client, READ, 0)));
    }

    /** Reads a little of what comes now and then. */
    void drainSlowly(BinaryClient client) {
        threads.add(Background.start(() -> read(client, 256, 5)));
    }

    private static int read(BinaryClient client, int most, int pause) throws InterruptedException {
        int reads = 0;
        try {
            byte[] buffer = new byte[most];
            while (client.readRaw(buffer) >= 0) {
                reads++;
                TimeUnit.MILLISECONDS.sleep(pause);
            }
        } catch (IOException e) {
            // closed
        }
        return reads;
    }

    /** How many bytes they have written in floods. */
    long written() {
        return bytes.get();
    }

    /** Stops all of them, and fails as the first of them did. */
    void end() throws Exception {
        close();
        for (Future<Integer> thread : threads) {
            thread.get(60, TimeUnit.SECONDS);
        }
    }

    @Override
    public void close() throws IOException {
        stop.set(true);
        for (Closeable socket = sockets.poll(); socket != null; socket = sockets.poll()) {
            socket.close();
        }
    }
}
