package io.fanfold.backend;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops running statements of the worker account over connections of its own, so that it works when all worker
 * connections are busy. What several threads want killed while another kill is under way goes to the server in one go. One
 * connection is kept open between kills; where it does not answer, others pass it by over a second and a third. Safe for all
 * threads, but it waits for the server: not for event loops.
 */
public final class KillSwitch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KillSwitch.class);

    /** KILL QUERY of a thread that is gone. */
    private static final int NO_SUCH_THREAD = 1094;

    private static final int CONNECTIONS = 3;

    private final SideConnection connection;
    private final Semaphore connections = new Semaphore(CONNECTIONS, true);

    /** Guarded by itself. */
    private final List<Kills> waiting = new ArrayList<>();

    KillSwitch(WireSettings settings) {
        this.connection = new SideConnection(settings);
    }

    /** What one thread wants killed; completed with the replies. */
    private record Kills(SideConnection.Place place, List<String> statements, CompletableFuture<List<Reply>> replies) {}

    /**
     * Ends the statements that run on these connections, all to one server; they fail with error 1317. Connections without a
     * statement are left as they are. When it returns, the server has taken note; the statements end within milliseconds,
     * their transactions live on.
     *
     * @throws ServerException when a kill was refused; the others have been tried
     * @throws IOException when the server cannot be reached, does not answer within a second or two, or another is in its
     *     place
     */
    public void killQuery(Collection<Lease> workers) throws IOException, ServerException {
        if (!workers.isEmpty()) {
            killQuery(
                    workers.iterator().next().place(),
                    workers.stream().map(lease -> lease.connection().threadId()).toList());
        }
    }

    /** The same by the ids of threads; those that are gone are left out. */
    void killQuery(SideConnection.Place place, Collection<Long> threadIds) throws IOException, ServerException {
        if (threadIds.isEmpty()) {
            return;
        }
        Kills own = new Kills(
                place, threadIds.stream().map(id -> "KILL QUERY " + id).toList(), new CompletableFuture<>());
        synchronized (waiting) {
            waiting.add(own);
        }
        connections.acquireUninterruptibly();
        try {
            // nothing is left where another thread has taken this one's along
            runWaiting();
        } finally {
            connections.release();
        }
        refusal(replies(own));
    }

    private void runWaiting() {
        List<Kills> due;
        synchronized (waiting) {
            due = List.copyOf(waiting);
            waiting.clear();
        }
        Map<SideConnection.Place, List<Kills>> places =
                due.stream().collect(Collectors.groupingBy(Kills::place, LinkedHashMap::new, Collectors.toList()));
        places.forEach(this::run);
    }

    private void run(SideConnection.Place place, List<Kills> due) {
        try {
            List<Reply> replies = connection.run(
                    place,
                    due.stream().flatMap(kills -> kills.statements().stream()).toList());
            int from = 0;
            for (Kills kills : due) {
                int to = from + kills.statements().size();
                kills.replies().complete(replies.subList(from, to));
                from = to;
            }
        } catch (IOException | ServerException | RuntimeException | Error e) {
            LOG.debug("a kill failed", e);
            due.forEach(kills -> kills.replies().completeExceptionally(e));
        }
    }

    private static List<Reply> replies(Kills kills) throws IOException, ServerException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return kills.replies().get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    if (e.getCause() instanceof ServerException refused) {
                        throw refused;
                    }
                    throw new IOException("workers' statements could not be killed: " + e.getCause(), e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Opens the connection that is kept, so that the first kill need not wait for it. */
    public void warmUp() throws IOException, ServerException {
        connection.warmUp();
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
        connection.close();
    }
}
