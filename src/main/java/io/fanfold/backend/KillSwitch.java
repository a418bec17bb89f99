package io.fanfold.backend;

import java.io.IOException;
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
    private final AtomicReference<@Nullable WireConnection> kept = new AtomicReference<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    KillSwitch(WireSettings settings) {
        this.settings = settings.withReadTimeout(REPLY_TIMEOUT);
    }

    /**
     * Ends the statements that run on these connections; they fail with error 1317. Connections without a statement, and
     * ids that are gone, are left as they are. When it returns, the server has taken note; the statements end within
     * milliseconds, their transactions live on.
     *
     * @throws ServerException when a kill was refused; the others have been tried
     * @throws IOException when the server cannot be reached
     */
    public void killQuery(Collection<Long> threadIds) throws IOException, ServerException {
        List<String> kills = threadIds.stream().map(id -> "KILL QUERY " + id).toList();
        if (kills.isEmpty()) {
            return;
        }
        connections.acquireUninterruptibly();
        try {
            refusal(pipelined(kills));
        } finally {
            connections.release();
        }
    }

    /** Opens the connection that is kept, so that the first kill need not wait for it. */
    public void warmUp() throws IOException, ServerException {
        keep(WireConnection.open(settings));
    }

    private List<Reply> pipelined(List<String> kills) throws IOException, ServerException {
        WireConnection used = kept.getAndSet(null);
        if (used != null) {
            try {
                List<Reply> replies = used.pipeline(kills);
                keep(used);
                return replies;
            } catch (IOException e) {
                // It may have died while it was idle; a kill may safely be sent twice.
                used.abort();
            }
        }
        WireConnection fresh = WireConnection.open(settings);
        try {
            return fresh.pipeline(kills);
        } finally {
            keep(fresh);
        }
    }

    private void keep(WireConnection connection) {
        if (connection.broken() || closed.get() || !kept.compareAndSet(null, connection)) {
            connection.close();
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
        WireConnection connection = kept.getAndSet(null);
        if (connection != null) {
            connection.close();
        }
    }
}
