package io.fanfold.it.support.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Loops in threads of their own that run for a time, or until one of them fails. Their actions are counted by name and
 * printed at the end. Thread-safe.
 */
public final class Storm implements AutoCloseable {
    /** The duration of each storm. Outside the suite, minutes or hours: {@code -Dfanfold.it.storm.seconds=1800}. */
    public static final long SECONDS = Long.getLong("fanfold.it.storm.seconds", 3);

    /** How much longer a storm blows for what must happen in it. */
    private static final long PATIENCE_SECONDS = 40;

    private final AtomicBoolean stop = new AtomicBoolean();
    private final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    private final List<Future<Integer>> loops = new ArrayList<>();
    private final List<String> awaited = new CopyOnWriteArrayList<>();
    private final Map<String, AtomicLong> counts = new ConcurrentSkipListMap<>();
    private final Map<String, List<Long>> nanos = new TreeMap<>();

    /** One turn of a loop. */
    public interface Turn {
        void run() throws Exception;
    }

    /** Opens the resource that a loop uses in all its turns. */
    public interface Source<T extends AutoCloseable> {
        T open() throws Exception;
    }

    /** One turn with the resource. */
    public interface TurnWith<T> {
        void run(T used) throws Exception;
    }

    /** Runs turns until the time is over, and counts them. */
    public void loop(String name, Turn turn) {
        loops.add(Background.start(() -> {
            try {
                while (blows()) {
                    turn.run();
                    count(name);
                }
                return 0;
            } finally {
                // a failed loop ends the others
                stop.set(true);
            }
        }));
    }

    /** Like the loop without a resource, with one that is opened before the first turn and closed after the last. */
    public <T extends AutoCloseable> void loop(String name, Source<T> source, TurnWith<T> turn) {
        loops.add(Background.start(() -> {
            try (T used = source.open()) {
                while (blows()) {
                    turn.run(used);
                    count(name);
                }
                return 0;
            } finally {
                stop.set(true);
            }
        }));
    }

    public boolean blows() {
        long over = System.nanoTime() - deadline;
        boolean missing = awaited.stream().anyMatch(what -> counted(what) == 0);
        return !stop.get() && (over < 0 || missing && over < TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
    }

    /** Makes the storm blow until these were counted, also if its time is over: on a busy machine little happens in it. */
    public void await(String... events) {
        awaited.addAll(List.of(events));
    }

    public void count(String what) {
        counts.computeIfAbsent(what, key -> new AtomicLong()).incrementAndGet();
    }

    public long counted(String what) {
        AtomicLong count = counts.get(what);
        return count == null ? 0 : count.get();
    }

    /** Records how long something took. */
    public synchronized void took(String what, long time) {
        nanos.computeIfAbsent(what, key -> new ArrayList<>()).add(time);
    }

    /** Waits for all loops, throws the first failure of any of them, and prints the counts. */
    public void end(String title) throws Exception {
        for (Future<Integer> loop : loops) {
            loop.get(SECONDS + PATIENCE_SECONDS + 60, TimeUnit.SECONDS);
        }
        System.out.println(title + " (" + SECONDS + " s): " + counts + times());
        assertThat(counts).isNotEmpty();
    }

    private synchronized String times() {
        StringBuilder text = new StringBuilder();
        nanos.forEach((what, times) ->
                text.append("%n  %s: %d times, %s".formatted(what, times.size(), Spread.of(times, Spread::millis))));
        return text.toString();
    }

    @Override
    public void close() {
        stop.set(true);
    }
}
