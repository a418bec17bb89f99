package io.fanfold.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.stream.LongStream;

/** The histograms of the times of statements. */
final class StatementTimes {
    /**
     * The upper bounds of the histograms, in microseconds. Relayed statements take less than a millisecond, reports take
     * minutes.
     */
    private static final long[] BOUNDS_MICROS = {
        100,
        250,
        500,
        1_000,
        2_500,
        5_000,
        10_000,
        25_000,
        50_000,
        100_000,
        250_000,
        500_000,
        1_000_000,
        2_500_000,
        5_000_000,
        10_000_000,
        30_000_000,
        60_000_000,
        300_000_000
    };

    private StatementTimes() {}

    /** Registers a histogram {@code fanfold.<name>}. */
    static Timer timer(MeterRegistry registry, String name, String help) {
        return Timer.builder("fanfold." + name)
                .description(help)
                .serviceLevelObjectives(LongStream.of(BOUNDS_MICROS)
                        .mapToObj(micros -> Duration.of(micros, ChronoUnit.MICROS))
                        .toArray(Duration[]::new))
                .register(registry);
    }
}
