package io.fanfold.execute;

import io.fanfold.sql.SelectReader;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes the threads of fan-outs. */
final class FanOutThreads {
    private FanOutThreads() {}

    /** Returns a factory of daemon threads with numbered names, each with the stack to read statements. */
    static ThreadFactory named(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(null, task, name + "-" + number.incrementAndGet(), SelectReader.STACK_BYTES);
            thread.setDaemon(true);
            return thread;
        };
    }
}
