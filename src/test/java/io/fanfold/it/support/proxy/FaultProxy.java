package io.fanfold.it.support.proxy;

import io.fanfold.it.support.server.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A TCP forwarder on the loopback address that cuts or stalls connections, or damages a packet, on request.
 * Thread-safe.
 */
public final class FaultProxy extends TcpForwarder<FaultProxy.FaultLink> {
    /** What happens to a connection. */
    public enum Kind {
        /** Both sides see the connection end. */
        CUT,
        /** The server's bytes are no longer forwarded. The connection stays open. */
        STALL,
        /**
         * The server's bytes wait at each trigger for a {@link #release}. The number forwarded before does not matter.
         */
        HOLD,
        /**
         * The command with the trigger, and all commands after it, wait for a {@link #release} before they are sent to
         * the server.
         */
        HOLD_COMMAND
    }

    /**
     * Affects connections on which the client has sent the trigger.
     *
     * @param trigger ASCII text inside a statement
     * @param afterBytes the number of server bytes forwarded after the trigger
     * @param once whether it affects one connection only
     */
    public record Fault(Kind kind, String trigger, long afterBytes, boolean once) {}

    /**
     * Affects one packet of the server, on one connection.
     *
     * @param trigger ASCII text inside a statement, or "" for the next connection from its start
     * @param packet the index of the packet after the trigger, from 0
     */
    public record Harm(PacketDamage damage, String trigger, int packet) {}

    private final AtomicReference<@Nullable Fault> armed = new AtomicReference<>();
    private final AtomicReference<@Nullable Harm> harm = new AtomicReference<>();
    private final AtomicInteger befallen = new AtomicInteger();
    private final Semaphore releases = new Semaphore(0, true);

    private FaultProxy(int port, InetSocketAddress target) throws IOException {
        super(port, target);
    }

    /** Starts to forward to a server, from any free port. */
    public static FaultProxy before(TestServer server) throws IOException {
        return before(server, 0);
    }

    public static FaultProxy before(TestServer server, int port) throws IOException {
        FaultProxy proxy = new FaultProxy(port, new InetSocketAddress(server.host(), server.port()));
        proxy.start();
        return proxy;
    }

    public void arm(Fault fault) {
        befallen.set(0);
        armed.set(fault);
    }

    public void arm(Harm next) {
        befallen.set(0);
        harm.set(next);
    }

    /** Affects no further connection. Connections already affected stay so. */
    public void disarm() {
        armed.set(null);
        harm.set(null);
        links().forEach(link -> {
            link.fault = null;
            link.packets.spare();
        });
    }

    /** Releases the answers to the given number of statements, held now or later, in order of arrival. */
    public void release(int statements) {
        releases.release(statements);
    }

    /** Takes back unused releases. */
    public void drainReleases() {
        releases.drainPermits();
    }

    /** Returns the number of connections cut or stalled, and of statements held, since the last {@link #arm}. */
    public int befallen() {
        return befallen.get();
    }

    /** Directs new connections to another server. Existing connections are unchanged. */
    public void leadTo(TestServer server) {
        target(new InetSocketAddress(server.host(), server.port()));
    }

    @Override
    public void close() throws IOException {
        super.close();
        release(Short.MAX_VALUE);
    }

    @Override
    FaultLink link(Socket client, Socket server) {
        FaultLink link = new FaultLink(client, server);
        link.look("");
        return link;
    }

    /** A link with its faults. */
    final class FaultLink extends Link {
        private final AtomicInteger held = new AtomicInteger();
        private final PacketHarm packets = new PacketHarm(befallen::incrementAndGet);
        private volatile @Nullable Fault fault;
        private long forwarded;

        FaultLink(Socket client, Socket server) {
            super(client, server);
        }

        @Override
        void upwards() throws IOException {
            try {
                InputStream in = client.getInputStream();
                OutputStream out = server.getOutputStream();
                byte[] chunk = new byte[32 * 1024];
                for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                    String sent = new String(chunk, 0, n, StandardCharsets.ISO_8859_1);
                    look(sent);
                    int first = heldCommand(chunk, sent);
                    out.write(chunk, 0, first);
                    if (first < n) {
                        befallen.incrementAndGet();
                        releases.acquireUninterruptibly();
                        out.write(chunk, first, n - first);
                    }
                }
            } finally {
                close();
            }
        }

        /**
         * Returns the start of the command to hold, or the chunk's length if there is none. A chunk begins with a
         * command.
         */
        private int heldCommand(byte[] chunk, String sent) {
            Fault waiting = armed.get();
            if (waiting == null || waiting.kind() != Kind.HOLD_COMMAND) {
                return sent.length();
            }
            int trigger = sent.indexOf(waiting.trigger());
            if (trigger < 0 || (waiting.once() && !armed.compareAndSet(waiting, null))) {
                return sent.length();
            }
            int start = 0;
            for (int next = 0; next <= trigger; ) {
                start = next;
                next += 4 + (chunk[next] & 0xff) + ((chunk[next + 1] & 0xff) << 8) + ((chunk[next + 2] & 0xff) << 16);
            }
            return start;
        }

        /** Commands are short and written at once, so a trigger is never split over two chunks. */
        private void look(String sent) {
            Harm next = harm.get();
            boolean here = next != null && (next.trigger().isEmpty() ? sent.isEmpty() : sent.contains(next.trigger()));
            if (next != null && here && harm.compareAndSet(next, null)) {
                packets.harm(next.damage(), next.packet());
            }
            Fault waiting = armed.get();
            if (sent.isEmpty()) {
                return;
            }
            if (waiting != null && waiting.kind() == Kind.HOLD) {
                if (sent.contains(waiting.trigger())) {
                    held.incrementAndGet();
                    befallen.incrementAndGet();
                }
            } else if (waiting != null
                    && waiting.kind() != Kind.HOLD_COMMAND
                    && fault == null
                    && sent.contains(waiting.trigger())
                    && (!waiting.once() || armed.compareAndSet(waiting, null))) {
                fault = waiting;
            }
        }

        @Override
        void downwards() throws IOException {
            boolean stalled = false;
            try {
                InputStream in = server.getInputStream();
                OutputStream out = client.getOutputStream();
                byte[] chunk = new byte[32 * 1024];
                for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                    for (; held.get() > 0; held.decrementAndGet()) {
                        releases.acquireUninterruptibly();
                    }
                    Fault now = fault;
                    long left = now == null ? Long.MAX_VALUE : now.afterBytes() - forwarded;
                    out.write(packets.pass(chunk, (int) Math.min(left, n)));
                    forwarded += now == null ? 0 : n;
                    if (now != null && left <= n) {
                        befallen.incrementAndGet();
                        stalled = now.kind() == Kind.STALL;
                        return;
                    }
                }
            } finally {
                if (!stalled) {
                    close();
                }
            }
        }
    }
}
