package io.fanfold.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** The meters of one server that fan-outs may read. */
public final class ServerMeters {
    private ServerMeters() {}

    /**
     * Shows how often a server is read, and whether it is.
     *
     * @param name {@code host:port}
     * @param role {@code primary} or {@code replica}
     * @param fanOuts how many fan-outs have taken connections to it
     * @param read whether it is not left out at the moment
     */
    public static void show(
            MeterRegistry registry, String name, String role, LongSupplier fanOuts, BooleanSupplier read) {
        FunctionCounter.builder("fanfold.server.fan.outs", fanOuts, LongSupplier::getAsLong)
                .description("Fan-outs that have taken connections to a server")
                .tag("server", name)
                .tag("role", role)
                .register(registry);
        Gauge.builder("fanfold.server.read", () -> read.getAsBoolean() ? 1 : 0)
                .description("1 if fan-outs may read a server, 0 if it is left out for a while")
                .tag("server", name)
                .tag("role", role)
                .register(registry);
    }
}
