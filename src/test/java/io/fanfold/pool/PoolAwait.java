package io.fanfold.pool;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Waits until a pool leases connections. */
public final class PoolAwait {
    private PoolAwait() {}

    public static List<Lease> acquire(WorkerPool pool, int count) {
        List<Lease> leases = new ArrayList<>();
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .atMost(Duration.ofSeconds(30))
                .until(() -> {
                    leases.addAll(pool.acquire(count, count, Duration.ofSeconds(1)));
                    return leases.size() == count;
                });
        return leases;
    }
}
