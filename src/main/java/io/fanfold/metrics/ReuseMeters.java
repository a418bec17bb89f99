package io.fanfold.metrics;

import io.fanfold.metrics.FanfoldMetrics.ReuseOutcome;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Counts the partition queries for which kept rows were looked for, and the time that these saved. Thread-safe. */
final class ReuseMeters {
    private static final double NANOS_PER_SECOND = 1e9;

    private final Map<ReuseOutcome, Counter> outcomes = new EnumMap<>(ReuseOutcome.class);
    private final Counter saved;

    ReuseMeters(MeterRegistry registry) {
        for (ReuseOutcome outcome : ReuseOutcome.values()) {
            outcomes.put(
                    outcome,
                    Counter.builder("fanfold.reuse.queries")
                            .description("Partition queries for which kept rows were looked for, by outcome")
                            .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                            .register(registry));
        }
        this.saved = Counter.builder("fanfold.reuse.saved")
                .description("Time that it had taken to read the rows that were used again")
                .baseUnit("seconds")
                .register(registry);
    }

    void count(ReuseOutcome outcome, long savedNanos) {
        Objects.requireNonNull(outcomes.get(outcome)).increment();
        saved.increment(savedNanos / NANOS_PER_SECOND);
    }
}
