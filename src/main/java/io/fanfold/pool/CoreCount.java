package io.fanfold.pool;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Measures how many statements a server runs at once before they slow each other down: about the number of its cores that
 * are free. No variable of a server tells that to every account. Stateless.
 */
final class CoreCount {
    /** The most statements at once. */
    static final int MOST = 32;

    /** Takes a core for about ten milliseconds, and reads no table. */
    private static final String WORK = work();

    private static final int TRIES = 3;

    /** With less of what as many cores would give, the server has fewer cores. */
    private static final double LEAST_GAIN = 0.6;

    private static final long PATIENCE_NANOS = Duration.ofSeconds(1).toNanos();

    private CoreCount() {}

    private static String work() {
        String ten =
                IntStream.range(1, 10).mapToObj(n -> " UNION ALL SELECT " + n).collect(Collectors.joining());
        String digits = IntStream.range(0, 5)
                .mapToObj(i -> "(SELECT 0 n" + ten + ") d" + i)
                .collect(Collectors.joining(", "));
        return "SELECT /* fanfold counts the cores of the server */ COUNT(*) FROM " + digits
                + " WHERE d0.n + d1.n + d2.n + d3.n + d4.n >= 0";
    }

    /**
     * Runs more and more short statements at once, up to {@link #MOST}, for about a second at most. Takes only the
     * connections that it needs, and leaves half of them to statements that are split.
     *
     * @param connections the most worker connections
     * @return 1 or more; empty if too few connections are free, or the server cannot be reached
     */
    static OptionalInt measure(WorkerPool pool, int connections)
            throws IOException, ServerException, InterruptedException {
        List<Lease> leases = new ArrayList<>(pool.acquire(2, 2, Duration.ZERO));
        if (leases.isEmpty()) {
            return OptionalInt.empty();
        }
        try {
            long end = System.nanoTime() + PATIENCE_NANOS;
            double one = nanos(leases.subList(0, 1));
            double most = 1;
            int many = 2;
            while (leases.size() == many) {
                double speed = many * one / nanos(leases);
                most = Math.max(most, speed);
                many *= 2;
                if (2 * speed < LEAST_GAIN * many
                        || many > Math.min(MOST, connections / 2)
                        || System.nanoTime() - end >= 0) {
                    break;
                }
                leases.addAll(pool.acquire(many - leases.size(), 1, Duration.ZERO));
            }
            return OptionalInt.of((int) Math.max(1, Math.round(most)));
        } finally {
            Lease.closeAll(leases);
        }
    }

    /** The shortest time of a few tries in which all connections run a statement each. */
    private static long nanos(List<Lease> leases) throws IOException, ServerException {
        List<WireConnection> connections =
                leases.stream().map(Lease::connection).toList();
        long best = Long.MAX_VALUE;
        for (int i = 0; i < TRIES; i++) {
            long start = System.nanoTime();
            for (WireConnection connection : connections) {
                connection.sendTexts(List.of(WORK));
            }
            List<Reply> replies = new ArrayList<>();
            for (WireConnection connection : connections) {
                replies.add(connection.receive());
            }
            best = Math.min(best, System.nanoTime() - start);
            for (Reply reply : replies) {
                if (reply instanceof Reply.Failed failed) {
                    throw new ServerException(failed);
                }
            }
        }
        return best;
    }
}
