package io.fanfold.it.support.load;

import java.util.List;
import java.util.function.Function;

/** Summarizes a set of measurements. */
public final class Spread {
    private Spread() {}

    /** Returns the median, the 99th percentile and the maximum; "none" if there are no values. */
    public static String of(List<Long> values, Function<Long, String> shown) {
        if (values.isEmpty()) {
            return "none";
        }
        List<Long> sorted = values.stream().sorted().toList();
        return "p50 %s, p99 %s, most %s"
                .formatted(shown.apply(at(sorted, 50)), shown.apply(at(sorted, 99)), shown.apply(at(sorted, 100)));
    }

    /** Formats nanoseconds as milliseconds. */
    public static String millis(long nanos) {
        return "%.1f ms".formatted(nanos / 1e6);
    }

    private static long at(List<Long> sorted, int percent) {
        return sorted.get(Math.max(0, (sorted.size() * percent + 99) / 100 - 1));
    }
}
