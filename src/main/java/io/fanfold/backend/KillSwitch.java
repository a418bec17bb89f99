package io.fanfold.backend;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Stops running statements of the worker account over connections of its own, so that it works when all worker
 * connections are busy. One connection is kept open between kills; a second is opened when two threads kill at once. Safe
 * for all threads, but it waits for the server: not for event loops.
 */
public final class KillSwitch implements AutoCloseable {
    /** KILL QUERY of a thread that is gone. */
    private static final int NO_SUCH_THREAD = 1094;

    private static final int CONNECTIONS = 2;
    private static final Duration REPLY_TIMEOUT = Duration.ofSeconds(1);

    private final WireSettings settings;
    private final Semaphore connections = new Semaphore(CONNECTIONS, true);
    private final AtomicReference<@Nullable Kept> kept = new AtomicReference<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * A server, since the same thread ids are in use on others, and one may have taken its name over.
     *
     * @param serverKey its {@link ServerFacts#serverKey}
     */
    record Place(String serverKey, InetAddress address) {}

    private record Kept(WireConnection connection, String serverKey) {}

    KillSwitch(WireSettings settings) {
        this.settings = settings.withReadTimeout(REPLY_TIMEOUT);
    }

    /**
     * Ends the statements that run on these connections, all to one server; they fail with error 1317. Connections without a
     * statement are left as they are. When it returns, the server has taken note; the statements end within milliseconds,
     * their transactions live on.
     *
     * @throws ServerException when a kill was refused; the others have been tried
     * @throws IOException when the server cannot be reached, or another is in its place
     */
    public void killQuery(Collection<Lease> workers) throws IOException, ServerException {
        if (!workers.isEmpty()) {
            killQuery(
                    workers.iterator().next().place(),
                    workers.stream().map(lease -> lease.connection().threadId()).toList());
        }
    }

    /** The same by the ids of threads; those that are gone are left out. */
    void killQuery(Place place, Collection<Long> threadIds) throws IOException, ServerException {
        List<String> kills = threadIds.stream().map(id -> "KILL QUERY " + id).toList();
        if (kills.isEmpty()) {
            return;
        }
        connections.acquireUninterruptibly();
        try {
            refusal(pipelined(place, kills));
        } finally {
            connections.release();
        }
    }

    /** Opens the connection that is kept, so that the first kill need not wait for it. */
    public void warmUp() throws IOException, ServerException {
        keep(open(settings));
    }

    private static Kept open(WireSettings settings) throws IOException, ServerException {
        WireConnection connection = WireConnection.open(settings);
        boolean known = false;
        try {
            Kept opened = new Kept(connection, ServerFacts.discover(connection).serverKey());
            known = true;
            return opened;
        } finally {
            if (!known) {
                connection.abort();
            }
        }
    }

    private List<Reply> pipelined(Place place, List<String> kills) throws IOException, ServerException {
        Kept used = kept.getAndSet(null);
        if (used != null && used.serverKey().equals(place.serverKey())) {
            try {
                List<Reply> replies = used.connection().pipeline(kills);
                keep(used);
                return replies;
            } catch (IOException e) {
                // It may have died while it was idle; a kill may safely be sent twice.
                used.connection().abort();
            }
        } else if (used != null) {
            used.connection().close();
        }
        Kept fresh = open(settings.at(place.address()));
        try {
            if (!fresh.serverKey().equals(place.serverKey())) {
                throw new IOException("another server has taken the place of the workers' server");
            }
            return fresh.connection().pipeline(kills);
        } finally {
            keep(fresh);
        }
    }

    private void keep(Kept opened) {
        if (opened.connection().broken() || closed.get() || !kept.compareAndSet(null, opened)) {
            opened.connection().close();
        } else if (closed.get()) {
            close();
        }
    }

    private static void refusal(List<Reply> replies) throws ServerException {
        for (Reply reply : replies) {
            if (reply instanceof Reply.Failed failed && failed.errno() != NO_SUCH_THREAD) {
                throw failed.exception();
            }
        }
    }

    @Override
    public void close() {
        closed.set(true);
        Kept last = kept.getAndSet(null);
        if (last != null) {
            last.connection().close();
        }
    }
}
