package io.fanfold.execute;

import io.fanfold.backend.KillSwitch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One fan-out while it runs: which worker connections work for it, and whether it has been cancelled. Safe for all
 * threads.
 *
 * <p>A worker is killed only while it works for this query: taking it on, letting it go and killing exclude each other, so
 * that a kill never hits the next user of the connection.
 */
final class LiveQuery {
    /** Why a query was cancelled. */
    enum Cancel {
        /** The client is gone: nobody waits for an answer. */
        CLIENT_GONE,
        /** A KILL of the client's own connection, or of its query, succeeded. */
        KILLED,
        /** The proxy stops. */
        STOPPING,
        /** One partition query failed, so the others are of no use. */
        FAILED
    }

    private final long backendThreadId;
    private final KillSwitch killSwitch;
    private final Set<Long> workers = new HashSet<>();
    private @Nullable Cancel cancel;

    LiveQuery(long backendThreadId, KillSwitch killSwitch) {
        this.backendThreadId = backendThreadId;
        this.killSwitch = killSwitch;
    }

    long backendThreadId() {
        return backendThreadId;
    }

    synchronized @Nullable Cancel cancelled() {
        return cancel;
    }

    /** A worker connection works for this query from now on. */
    synchronized void takeOn(long workerThreadId) {
        workers.add(workerThreadId);
    }

    /** A worker connection works for this query no more; waits for a kill under way. */
    synchronized void letGo(long workerThreadId) {
        workers.remove(workerThreadId);
    }

    /** Cancels the query and kills what its workers run. Only the first reason counts, but a failure gives way. */
    synchronized void cancel(Cancel why) {
        if (cancel != null && cancel != Cancel.FAILED) {
            return;
        }
        boolean first = cancel == null;
        if (why != Cancel.FAILED || first) {
            cancel = why;
        }
        if (first && !workers.isEmpty()) {
            List<Long> running = new ArrayList<>(workers);
            killSwitch.killQuery(running);
        }
    }
}
