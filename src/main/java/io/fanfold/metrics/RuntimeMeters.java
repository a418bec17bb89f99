package io.fanfold.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmInfoMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.netty4.NettyAllocatorMetrics;
import io.micrometer.core.instrument.binder.netty4.NettyEventExecutorMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The meters of the process: the JVM, its processors and file handles, and Netty. Thread-safe. */
public final class RuntimeMeters implements AutoCloseable {
    private final MeterRegistry registry;
    private final AtomicReference<@Nullable JvmGcMetrics> collector = new AtomicReference<>();

    RuntimeMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    /**
     * Begins to measure. To be called once, and only if somebody reads the meters: the meters of the garbage collector
     * listen to each collection.
     *
     * @param loops the event loops of the clients
     */
    public void begin(Iterable<EventExecutor> loops) {
        JvmGcMetrics collections = new JvmGcMetrics();
        collections.bindTo(registry);
        collector.set(collections);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new JvmInfoMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new NettyEventExecutorMetrics(loops).bindTo(registry);
        if (ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider allocator) {
            new NettyAllocatorMetrics(allocator).bindTo(registry);
        }
    }

    @Override
    public void close() {
        JvmGcMetrics collections = collector.getAndSet(null);
        if (collections != null) {
            collections.close();
        }
    }
}
