package io.fanfold.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** Counts verifications by their result. Thread-safe. */
final class VerifyMeters {
    private final Map<VerifyResult, Counter> results = new EnumMap<>(VerifyResult.class);

    VerifyMeters(MeterRegistry registry) {
        for (VerifyResult result : VerifyResult.values()) {
            results.put(
                    result,
                    Counter.builder("fanfold.verifications")
                            .description("Verifications of statements answered by a fan-out, by result")
                            .tag("result", result.label())
                            .register(registry));
        }
    }

    void count(VerifyResult result) {
        Objects.requireNonNull(results.get(result)).increment();
    }
}
