package io.fanfold.sql;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import net.sf.jsqlparser.parser.CCJSqlParser;

/**
 * Interrupts a parser when it has worked for too long. Counted is the time for which its thread had a processor, so that on a
 * busy machine a text is not refused that is read at other times; the time by the clock counts only where it is many times
 * more, or where the machine does not tell the other.
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

    /** Set by the thread that is going to parse. */
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
