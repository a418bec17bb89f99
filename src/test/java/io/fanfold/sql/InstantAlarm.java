package io.fanfold.sql;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A watchdog for which every time is over at once: what is scheduled runs before {@code schedule} returns. */
final class InstantAlarm extends ScheduledThreadPoolExecutor {
    InstantAlarm() {
        super(1);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        command.run();
        return super.schedule(() -> {}, delay, unit);
    }
}
