package io.fanfold.execute;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.binlog.StreamRequirements;
import io.fanfold.client.ServerException;
import io.fanfold.pool.Lease;
import io.fanfold.pool.WorkerPool;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether the primary's binary log has all its changes: otherwise no replica has them. Asks the primary at most once a
 * minute, since most of these settings change only with a restart. Safe for use by multiple threads.
 */
final class PrimaryLog {
    private static final long AGE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final WorkerPool primary;
    private final LongSupplier nanoTime;

    @GuardedBy("this")
    private @Nullable KnownLog last;

    /**
     * What was found.
     *
     * @param why why the log is not complete; empty if it is
     */
    private record KnownLog(String serverKey, long nanos, Optional<String> why) {}

    /** @param nanoTime see {@link System#nanoTime} */
    PrimaryLog(WorkerPool primary, LongSupplier nanoTime) {
        this.primary = primary;
        this.nanoTime = nanoTime;
    }

    /** Returns why no replica has all changes, as a clause; empty if the log has them. */
    synchronized Optional<String> obstacle() throws InterruptedException {
        String server = primary.facts().map(facts -> facts.serverKey()).orElse("");
        KnownLog known = last != null && last.serverKey().equals(server) ? last : null;
        if (known != null && nanoTime.getAsLong() - known.nanos() < AGE_NANOS) {
            return known.why();
        }
        List<Lease> leases = primary.acquire(1, 1, Duration.ZERO);
        if (leases.isEmpty()) {
            return known != null ? known.why() : Optional.of("the primary could not be asked about its binary log");
        }
        try (Lease lease = leases.get(0)) {
            Optional<String> why = ask(lease);
            last = new KnownLog(lease.facts().serverKey(), nanoTime.getAsLong(), why);
            return why;
        }
    }

    private static Optional<String> ask(Lease lease) {
        try {
            new StreamRequirements(lease.connection()).checkComplete();
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of("on the primary, " + e.getMessage());
        } catch (ServerException e) {
            return Optional.of("on the primary, " + e.errno() + ": " + e.getMessage());
        }
    }
}
