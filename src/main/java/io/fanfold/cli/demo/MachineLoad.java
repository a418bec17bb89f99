package io.fanfold.cli.demo;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleSupplier;

/** Whether the machine had more to do than it has processors while times were taken. For use by one thread. */
final class MachineLoad {
    private final DoubleSupplier loadAverage;
    private final int processors;
    private final List<Double> samples = new ArrayList<>();

    /**
     * For one machine.
     *
     * @param loadAverage how many threads ran or were ready to run in the last minute, negative if that is not known
     * @param processors how many can run at once
     */
    MachineLoad(DoubleSupplier loadAverage, int processors) {
        this.loadAverage = loadAverage;
        this.processors = processors;
    }

    /** For this machine. */
    static MachineLoad ofThisMachine() {
        return new MachineLoad(
                ManagementFactory.getOperatingSystemMXBean()::getSystemLoadAverage,
                Runtime.getRuntime().availableProcessors());
    }

    /** Takes the load as it is now. */
    void sample() {
        double load = loadAverage.getAsDouble();
        if (load >= 0) {
            samples.add(load);
        }
    }

    /**
     * A line that says that the machine was busy, or "". It is busy if the median of the samples is above the number of
     * processors: the first samples may still hold the load of a build.
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
