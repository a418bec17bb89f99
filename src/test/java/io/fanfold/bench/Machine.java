package io.fanfold.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;

/** Describes the machine in a report. */
final class Machine {
    private Machine() {}

    /** Cores, memory, system and Java, in one line. */
    static String describe() {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return String.format(
                Locale.ROOT,
                "%d cores, %.1f GiB memory, %s %s %s, Java %s (%s), load %.2f",
                Runtime.getRuntime().availableProcessors(),
                system.getTotalMemorySize() / (double) (1L << 30),
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                System.getProperty("os.arch"),
                System.getProperty("java.version"),
                System.getProperty("java.vm.name"),
                system.getSystemLoadAverage());
    }
}
