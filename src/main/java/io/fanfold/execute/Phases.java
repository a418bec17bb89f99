package io.fanfold.execute;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The time spent in each phase of one fan-out, for the log at DEBUG. For one thread. */
final class Phases {
    private final List<String> names = new ArrayList<>();
    private final List<Long> nanos = new ArrayList<>();
    private long last;

    /** Starts at the arrival of the statement. */
    Phases(long arrivalNanos) {
        last = arrivalNanos;
    }

    /** Records the phase that ends now. */
    void ended(String phase) {
        long now = System.nanoTime();
        names.add(phase);
        nanos.add(now - last);
        last = now;
    }

    /** The phases that have ended, in order, with their nanoseconds. A phase of several blocks has their sum. */
    Map<String, Long> all() {
        Map<String, Long> all = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            all.merge(names.get(i), nanos.get(i), Long::sum);
        }
        return all;
    }

    /** All phases with their milliseconds. */
    @Override
    public String toString() {
        return IntStream.range(0, names.size())
                .mapToObj(i -> String.format(Locale.ROOT, "%s %.2f", names.get(i), nanos.get(i) / 1e6))
                .collect(Collectors.joining(", ", "", " ms"));
    }
}
