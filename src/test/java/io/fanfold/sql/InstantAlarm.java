package io.fanfold.sql;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A watchdog whose first timeout expires at once: the task runs before {@code schedule} returns. */
final class InstantAlarm extends ScheduledThreadPoolExecutor {
    private boolean rung;

    InstantAlarm() {
        super(1);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        if (rung) {
            return super.schedule(command, delay, unit);
        }
        rung = true;
        command.run();
        return super.schedule(() -> {}, delay, unit);
    }
}
