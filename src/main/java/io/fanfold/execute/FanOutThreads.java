package io.fanfold.execute;

import io.fanfold.sql.SelectReader;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes the threads of fan-outs. */
final class FanOutThreads {
    private FanOutThreads() {}

    /** Creates a pool of such threads, at first of one. */
    static ThreadPoolExecutor pool(String name, BlockingQueue<Runnable> queue) {
        return new ThreadPoolExecutor(0, 1, 1, TimeUnit.MINUTES, queue, named(name));
    }

    /** Sets the number of threads of a pool that begins a new one for each task, up to it, before tasks wait. */
    static void allowCore(ThreadPoolExecutor pool, int threads) {
        if (threads > pool.getMaximumPoolSize()) {
            pool.setMaximumPoolSize(threads);
            pool.setCorePoolSize(threads);
        } else {
            pool.setCorePoolSize(threads);
            pool.setMaximumPoolSize(threads);
        }
        pool.allowCoreThreadTimeOut(true);
    }

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
