package io.fanfold.session.channel;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/** Logs a warning that may occur with every client, at most once a minute. Thread-safe. */
public final class RateLimitedWarning {
    private static final long PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

    private final Logger log;
    private final AtomicLong next = new AtomicLong(System.nanoTime());

    public RateLimitedWarning(Logger log) {
        this.log = log;
    }

    /** Logs, unless it has done so in the last minute. */
    public void warn(String message) {
        long now = System.nanoTime();
        long due = next.get();
        if (now - due >= 0 && next.compareAndSet(due, now + PAUSE_NANOS)) {
            log.warn("{} (logged at most once a minute)", message);
        }
    }
}
