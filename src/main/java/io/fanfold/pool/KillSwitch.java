package io.fanfold.pool;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.client.ServerException;
import io.fanfold.client.SideConnection;
import io.fanfold.client.WireSettings;
import io.fanfold.config.HostPort;
import io.fanfold.config.Secret;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kills running statements of the worker account over its own connections, so it works even if all worker connections
 * are busy. Kills that several threads request during another kill are sent together.
 *
 * <p>One connection is kept open between kills. If it does not answer, other threads use a second and a third. Safe for
 * use by multiple threads. It waits for the server, so it is not for event loops.
 */
public final class KillSwitch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KillSwitch.class);

    /** Error number of KILL QUERY for a thread that does not exist. */
    private static final int NO_SUCH_THREAD = 1094;

    private static final int CONNECTIONS = 3;

    private final SideConnection connection;
    private final Semaphore connections = new Semaphore(CONNECTIONS, true);

    @GuardedBy("waiting")
    private final List<Kills> waiting = new ArrayList<>();

    KillSwitch(WireSettings settings) {
        this.connection = new SideConnection(settings);
    }

    /** Logs in with another password from now on. */
    void password(Secret password) {
        connection.password(password);
    }

    /** Connects to another server from now on. Kills on the one before open a connection of their own. */
    void moveTo(HostPort server) {
        connection.moveTo(server);
    }

    /** The kills of one thread; completed with the replies. */
    private record Kills(
            SideConnection.ServerPlace place, List<String> statements, CompletableFuture<List<Reply>> replies) {}

    /**
     * Kills the statements that run on these connections, on all servers at once; they fail with error 1317. Connections
     * without a statement are not affected. When the method returns, the servers have accepted the kills. The statements
     * end within milliseconds, and their transactions stay open.
     *
     * @throws ServerException if a kill was refused; the others have been tried
     * @throws IOException if a server cannot be reached, does not answer within a second or two, or was replaced by
     *     another
     */
    public static void killQueries(Collection<Lease> workers) throws IOException, ServerException {
        List<FutureTask<Void>> kills = new ArrayList<>();
        for (List<Lease> ofServer :
                workers.stream().collect(Collectors.groupingBy(Lease::kills)).values()) {
            kills.add(new FutureTask<>(() -> {
                kill(ofServer);
                return null;
            }));
        }
        // a server that does not answer must not hold up the kills on others
        kills.stream().skip(1).forEach(further -> new Thread(further, "kill").start());
        kills.stream().limit(1).forEach(FutureTask::run);
        for (FutureTask<Void> kill : kills) {
            await(kill);
        }
    }

    private static void kill(List<Lease> ofServer) throws IOException, ServerException {
        Lease first = ofServer.get(0);
        first.kills()
                .killQuery(
                        first.place(),
                        ofServer.stream()
                                .map(lease -> lease.connection().threadId())
                                .toList());
    }

    /** Kills the statements of these thread ids; skips threads that do not exist. */
    void killQuery(SideConnection.ServerPlace place, Collection<Long> threadIds) throws IOException, ServerException {
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
            // finds nothing if another thread has already sent this thread's kills
            runWaiting();
        } finally {
            connections.release();
        }
        refusal(await(own.replies()));
    }

    private void runWaiting() {
        List<Kills> due;
        synchronized (waiting) {
            due = List.copyOf(waiting);
            waiting.clear();
        }
        Map<SideConnection.ServerPlace, List<Kills>> places =
                due.stream().collect(Collectors.groupingBy(Kills::place, LinkedHashMap::new, Collectors.toList()));
        places.forEach(this::run);
    }

    private void run(SideConnection.ServerPlace place, List<Kills> due) {
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

    /** Waits, also if this thread is interrupted meanwhile. */
    private static <T> T await(Future<T> result) throws IOException, ServerException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return result.get();
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
                throw new ServerException(failed);
            }
        }
    }

    @Override
    public void close() {
        connection.close();
    }
}
