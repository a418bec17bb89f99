package io.fanfold.it.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.load.Background;
import io.fanfold.it.support.load.Spread;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Clients that run short statements, each on its own connection, while others attack the proxy. An error or a wrong
 * answer fails the test. The time of each statement is recorded. Thread-safe.
 */
final class Bystanders implements AutoCloseable {
    private static final String POINT = "SELECT v FROM it_hostile.t WHERE id = ";
    private static final String SPLIT = "SELECT COUNT(*), SUM(id) FROM it_hostile.t";
    private static final String SPLIT_ANSWER = "[200|19900]";

    /** One of this many statements is split. */
    private static final int POINTS = 10;

    /** What happens at the same time. */
    enum Time {
        BEFORE,
        ATTACK,
        AFTER
    }

    /** Opens their connections. */
    interface Source {
        WireConnection open() throws Exception;
    }

    private final AtomicBoolean stop = new AtomicBoolean();
    private final List<Future<Integer>> loops = new ArrayList<>();
    private final Map<Time, List<Long>> points = new EnumMap<>(Time.class);
    private final Map<Time, List<Long>> splits = new EnumMap<>(Time.class);
    private volatile Time time = Time.BEFORE;

    Bystanders(int number, Source source) throws Exception {
        for (Time each : Time.values()) {
            points.put(each, new ArrayList<>());
            splits.put(each, new ArrayList<>());
        }
        for (int i = 0; i < number; i++) {
            WireConnection connection = source.open();
            loops.add(Background.start(() -> {
                try (connection) {
                    return asks(connection);
                }
            }));
        }
    }

    private int asks(WireConnection connection) throws Exception {
        int turns = 0;
        while (!stop.get()) {
            boolean split = turns % POINTS == 0;
            int id = turns * 7 % 200;
            Time asked = time;
            long start = System.nanoTime();
            String answer = connection.query(split ? SPLIT : POINT + id).rows().toString();
            took(split ? splits : points, asked, System.nanoTime() - start);
            assertThat(answer).isEqualTo(split ? SPLIT_ANSWER : "[" + id * 31 % 97 + "]");
            turns++;
        }
        return turns;
    }

    private synchronized void took(Map<Time, List<Long>> kind, Time asked, long nanos) {
        kind.getOrDefault(asked, new ArrayList<>()).add(nanos);
    }

    /** Assigns statements from now on to another period. */
    void now(Time next) {
        time = next;
    }

    /** Waits for the given number of statements of each kind, or for a failure. */
    void await(Time during, int statements, long seconds) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (count(during) < statements) {
            requireServed();
            assertThat(System.nanoTime() - deadline)
                    .as("%s statements after %s s: %s", statements, seconds, report())
                    .isNegative();
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    /** Throws the first failure of any of them. */
    void requireServed() throws Exception {
        for (Future<Integer> loop : loops) {
            if (loop.isDone()) {
                loop.get();
            }
        }
    }

    private synchronized int count(Time during) {
        return Math.min(
                points.getOrDefault(during, List.of()).size(),
                splits.getOrDefault(during, List.of()).size());
    }

    /** Returns the longest time that one of them waited for an answer. */
    synchronized long longest(Time during) {
        return Math.max(most(points, during), most(splits, during));
    }

    private static long most(Map<Time, List<Long>> kind, Time during) {
        return kind.getOrDefault(during, List.of()).stream()
                .mapToLong(Long::longValue)
                .max()
                .orElse(0);
    }

    /** Returns the times of statements, and how many times slower the median was during the attack. */
    synchronized String report() {
        return line("point selects", points) + line("splits", splits);
    }

    private static String line(String name, Map<Time, List<Long>> kind) {
        StringBuilder text = new StringBuilder();
        kind.forEach((when, nanos) ->
                text.append("%n  %s %s: %d, %s".formatted(name, when, nanos.size(), Spread.of(nanos, Spread::millis))));
        double ratio = (double) middle(kind, Time.ATTACK) / Math.max(1, middle(kind, Time.BEFORE));
        return text.append("%n  %s: %.1f times as long".formatted(name, ratio)).toString();
    }

    private static long middle(Map<Time, List<Long>> kind, Time when) {
        List<Long> sorted = kind.getOrDefault(when, List.of()).stream().sorted().toList();
        return sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2);
    }

    /** Ends them after their last answers. */
    void end() throws Exception {
        stop.set(true);
        for (Future<Integer> loop : loops) {
            assertThat(loop.get(60, TimeUnit.SECONDS)).isPositive();
        }
    }

    @Override
    public void close() {
        stop.set(true);
    }
}
