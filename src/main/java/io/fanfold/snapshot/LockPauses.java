package io.fanfold.snapshot;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Decides how long the proxy does not try again to lock tables that it could not lock. The pause doubles with each
 * failure in a row, from 50 ms to 5 s; a successful lock ends it. So a long transaction that has written to a table
 * costs a few attempts, not one for each statement. If the attempt made writers wait, the pause is at least
 * {@link #OF_WAIT} times as long. The last 1000 sets of tables are remembered. Safe for use by multiple threads.
 */
final class LockPauses {
    static final Duration FIRST = Duration.ofMillis(50);
    static final Duration LONGEST = Duration.ofSeconds(5);
    /** Failed attempts make writers wait for at most a twentieth of the time. */
    static final int OF_WAIT = 20;

    private static final int MOST = 1000;

    private final LongSupplier nanoTime;

    /** The least recently used first. */
    @GuardedBy("pauses")
    private final Map<String, LockPause> pauses = new LinkedHashMap<>(16, 0.75f, true);

    private record LockPause(SnapshotRound failure, Duration length, long end) {}

    /** @param nanoTime the clock, in nanoseconds */
    LockPauses(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Returns how the last attempt failed, if these tables must not be locked now. Empty if they may be. */
    Optional<SnapshotRound> current(String tables) {
        synchronized (pauses) {
            LockPause pause = pauses.get(tables);
            return pause == null || nanoTime.getAsLong() - pause.end() >= 0
                    ? Optional.empty()
                    : Optional.of(pause.failure());
        }
    }

    /**
     * Records how an attempt to lock these tables ended.
     *
     * @param waited how long it made writers wait, if it failed
     */
    void ended(String tables, SnapshotRound round, Duration waited) {
        synchronized (pauses) {
            if (round.kind() == SnapshotOutcome.SnapshotState.LOCKED) {
                pauses.remove(tables);
                return;
            }
            LockPause last = pauses.get(tables);
            Duration doubled = last == null ? FIRST : shorter(last.length().multipliedBy(2), LONGEST);
            Duration share = waited.multipliedBy(OF_WAIT);
            Duration length = doubled.compareTo(share) < 0 ? share : doubled;
            pauses.put(tables, new LockPause(round, length, nanoTime.getAsLong() + length.toNanos()));
            if (pauses.size() > MOST) {
                pauses.remove(pauses.keySet().iterator().next());
            }
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Ends all pauses. */
    void clear() {
        synchronized (pauses) {
            pauses.clear();
        }
    }
}
