package io.fanfold.sql;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import net.sf.jsqlparser.parser.CCJSqlParser;

/**
 * Interrupts a parser that works for too long. It measures the CPU time of the parsing thread, so that a busy machine
 * does not refuse texts that it reads at other times. Elapsed time only counts if it is many times the limit, or if the
 * machine does not report CPU time.
 */
final class ParserAlarm implements AutoCloseable {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int CLOCK_FACTOR = 20;

    private final CCJSqlParser parser;
    private final ScheduledExecutorService watchdog;
    private final long limitNanos;
    private final long thread = Thread.currentThread().getId();
    private final long workedBefore = worked();
    private final long start = System.nanoTime();
    private Future<?> next;
    private boolean closed;

    /** Starts the alarm; must be called by the thread that will parse. */
    ParserAlarm(CCJSqlParser parser, ScheduledExecutorService watchdog, Duration limit) {
        this.parser = parser;
        this.watchdog = watchdog;
        this.limitNanos = limit.toNanos();
        this.next = watchdog.schedule(this::ring, limitNanos, TimeUnit.NANOSECONDS);
    }

    private long worked() {
        return THREADS.isThreadCpuTimeSupported() ? THREADS.getThreadCpuTime(thread) : -1;
    }

    private synchronized void ring() {
        if (closed) {
            return;
        }
        long now = worked();
        boolean known = workedBefore >= 0 && now >= 0;
        long left = limitNanos - (known ? now - workedBefore : limitNanos);
        if (left <= 0 || System.nanoTime() - start > CLOCK_FACTOR * limitNanos) {
            parser.interrupted = true;
        } else {
            next = watchdog.schedule(this::ring, left, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        next.cancel(false);
    }
}
