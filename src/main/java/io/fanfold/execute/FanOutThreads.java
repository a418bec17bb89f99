package io.fanfold.execute;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes the threads of fan-outs. */
final class FanOutThreads {
    private FanOutThreads() {}

    /** Returns a factory of daemon threads with numbered names. */
    static ThreadFactory named(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
