package io.fanfold.demo;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleSupplier;

/** Whether the machine was overloaded while times were measured. Not thread-safe. */
final class MachineLoad {
    private final DoubleSupplier loadAverage;
    private final int processors;
    private final List<Double> samples = new ArrayList<>();

    /**
     * Creates one for a machine.
     *
     * @param loadAverage the load average of the last minute; negative if unknown
     * @param processors the number of processors
     */
    MachineLoad(DoubleSupplier loadAverage, int processors) {
        this.loadAverage = loadAverage;
        this.processors = processors;
    }

    /** Creates one for this machine. */
    static MachineLoad ofThisMachine() {
        return new MachineLoad(
                ManagementFactory.getOperatingSystemMXBean()::getSystemLoadAverage,
                Runtime.getRuntime().availableProcessors());
    }

    /** Records the current load. */
    void sample() {
        double load = loadAverage.getAsDouble();
        if (load >= 0) {
            samples.add(load);
        }
    }

    /**
     * Returns a line that says that the machine was busy, or "". It was busy if the median of the samples is above the
     * number of processors: the first samples may still contain the load of a build.
     */
    String warning() {
        List<Double> sorted = samples.stream().sorted().toList();
        if (sorted.isEmpty() || sorted.get(sorted.size() / 2) <= processors) {
            return "";
        }
        return String.format(
                Locale.ROOT,
                "This machine is busy (load average %.1f to %.1f, %d processors): the times are not comparable.%n",
                Collections.min(sorted),
                Collections.max(sorted),
                processors);
    }
}
