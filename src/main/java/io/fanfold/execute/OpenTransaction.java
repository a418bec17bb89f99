package io.fanfold.execute;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.pool.RetainedSnapshots.RetainedWorkers;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of a client's transaction since its first statement was offered, so that later statements may be split too.
 * Under REPEATABLE READ the workers' snapshots of the first fan-out stay open for these. The session ends this object
 * with the transaction. Safe for all threads.
 */
public final class OpenTransaction {
    /** The session's command counts before the transaction's first statement. */
    @GuardedBy("this")
    private @Nullable CommandCounts before;

    @GuardedBy("this")
    private boolean repeatableRead;

    @GuardedBy("this")
    private @Nullable RetainedWorkers snapshots;

    @GuardedBy("this")
    private boolean ended;

    /** Whether a later statement may be split, as far as is known without asking the server. */
    public synchronized boolean maySplit() {
        return !ended && before != null && (!repeatableRead || snapshots != null);
    }

    /** Whether the transaction keeps the read view of its first statement. */
    synchronized boolean repeatableRead() {
        return repeatableRead;
    }

    /**
     * Records that the first statement has begun the transaction.
     *
     * @param counts the commands that the session had run until then
     */
    synchronized void begun(CommandCounts counts, boolean keepsReadView) {
        before = counts;
        repeatableRead = keepsReadView;
    }

    /**
     * Finds a command since the transaction began that may have changed rows or ended the transaction.
     *
     * @return empty if there is none; else the command, for the log
     */
    synchronized Optional<String> changed(CommandCounts now) {
        return now.equals(before)
                ? Optional.empty()
                : Optional.of(before == null ? "nothing is known of it" : now.difference(before));
    }

    /** Keeps the workers' snapshots open for the next statement. */
    void keep(RetainedWorkers held) {
        synchronized (this) {
            if (!ended) {
                snapshots = held;
                return;
            }
        }
        held.release();
    }

    /**
     * Hands the transaction's snapshots to the caller. The caller takes the workers, and then keeps them for the next
     * statement or closes them.
     */
    synchronized Optional<RetainedWorkers> snapshots() {
        RetainedWorkers held = snapshots;
        snapshots = null;
        return Optional.ofNullable(held);
    }

    /** Releases the snapshots and returns at once. Under REPEATABLE READ no further statement is split. */
    public void release() {
        snapshots().ifPresent(RetainedWorkers::release);
    }

    /** Marks the transaction as ended, or as possibly no longer the same one. Returns at once. */
    public void end() {
        synchronized (this) {
            ended = true;
        }
        release();
    }
}
