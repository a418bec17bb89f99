package io.fanfold.execute;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.backend.RetainedSnapshots.Held;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a client's transaction since its first statement was offered, so that later ones may be split too. Under REPEATABLE
 * READ the workers' snapshots of the first fan-out stay open for them. The session ends this with the transaction. Safe for all threads.
 */
public final class OpenTransaction {
    /** What the session had run before the transaction's first statement. */
    @GuardedBy("this")
    private @Nullable CommandCounts before;

    @GuardedBy("this")
    private boolean repeatableRead;

    @GuardedBy("this")
    private @Nullable Held snapshots;

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
     * The first statement has begun the transaction.
     *
     * @param counts what the session has run until then
     */
    synchronized void begun(CommandCounts counts, boolean keepsReadView) {
        before = counts;
        repeatableRead = keepsReadView;
    }

    /**
     * What the session has run since the transaction began that may have changed rows or ended the transaction.
     *
     * @return empty if nothing; else the command, for the log
     */
    synchronized Optional<String> changed(CommandCounts now) {
        return now.equals(before)
                ? Optional.empty()
                : Optional.of(before == null ? "nothing is known of it" : now.difference(before));
    }

    /** The workers' snapshots stay open for the next statement. */
    void keep(Held held) {
        synchronized (this) {
            if (!ended) {
                snapshots = held;
                return;
            }
        }
        held.release();
    }

    /** Hands out the snapshots of the transaction. The caller takes the workers, and keeps them again for the next statement or closes them. */
    synchronized Optional<Held> snapshots() {
        Held held = snapshots;
        snapshots = null;
        return Optional.ofNullable(held);
    }

    /** Has the snapshots given back; returns at once. Under REPEATABLE READ nothing more is split. */
    public void release() {
        snapshots().ifPresent(Held::release);
    }

    /** The transaction has ended, or it is not certain any more that it is the same one; returns at once. */
    public void end() {
        synchronized (this) {
            ended = true;
        }
        release();
    }
}
