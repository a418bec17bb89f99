package io.fanfold.it.support.load;

import io.fanfold.client.WireConnection;
import io.fanfold.wire.Reply;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/** Runs work of a test in other threads. */
public final class Background {
    private Background() {}

    /** Starts the work in a daemon thread. */
    public static <T> Future<T> start(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "test-background");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    /** Runs a statement. Its reply may be an error. */
    public static Future<Reply> ask(WireConnection connection, String sql) {
        return start(() -> connection.pipeline(List.of(sql)).get(0));
    }
}
