package io.fanfold.it.limits;

import io.fanfold.it.support.client.BinaryClient;
import io.fanfold.it.support.load.Background;
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
 * Malicious clients, each in a thread that repeats the same actions until stopped. Closing their sockets stops them.
 * Thread-safe.
 */
final class Attackers implements AutoCloseable {
    private static final int READ = 1 << 16;

    private final String host;
    private final int port;
    private final AtomicBoolean stop = new AtomicBoolean();
    private final Queue<Closeable> sockets = new ConcurrentLinkedQueue<>();
    private final Queue<Future<Integer>> threads = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytes = new AtomicLong();

    /** The actions of one attacker. An {@link IOException} ends one turn only. */
    interface Attack {
        /** @param number the index of the attacker, from 0 */
        void run(int number) throws Exception;
    }

    Attackers(String host, int port) {
        this.host = host;
        this.port = port;
    }

    /** Starts the given number of attackers. */
    void start(int number, Attack attack) {
        for (int i = 0; i < number; i++) {
            int which = i;
            threads.add(Background.start(() -> {
                int turns = 0;
                while (goOn()) {
                    try {
                        attack.run(which);
                    } catch (IOException e) {
                        // disconnected or stopped
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

    /** Opens a connection that is closed at the end. */
    Socket connect() throws IOException {
        return closing(new Socket(host, port));
    }

    /** Logs in with the given capabilities in addition to the usual ones. */
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

    /** Writes the same packets repeatedly until it fails. */
    void flood(BinaryClient client, byte[] packets) throws IOException {
        while (goOn()) {
            client.writeRaw(packets);
            bytes.addAndGet(packets.length);
        }
    }

    /** Reads all incoming bytes, in a thread of its own. */
    void drain(BinaryClient client) {
        threads.add(Background.start(() -> read(client, READ, 0)));
    }

    /** Reads a few of the incoming bytes from time to time. */
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

    /** Returns the number of bytes written in floods. */
    long written() {
        return bytes.get();
    }

    /** Stops all attackers, and throws the first failure of any of them. */
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
