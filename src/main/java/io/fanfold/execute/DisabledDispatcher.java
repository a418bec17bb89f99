package io.fanfold.execute;

import io.fanfold.config.RunningSettings;
import io.fanfold.reason.Reason;
import io.fanfold.sql.ProxyStatement;
import io.fanfold.wire.ServerFlavor;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Splits nothing, because there is no worker account. Settings can be changed all the same. Safe for all threads. */
final class DisabledDispatcher implements FanOutDispatcher {
    /** The most statements about settings that may wait; further ones are passed through, and the server refuses them. */
    private static final int WAITING = 100;

    private final RunningSettings settings;
    private final Executor executor;

    DisabledDispatcher(RunningSettings settings) {
        this.settings = settings;
        ThreadPoolExecutor one =
                new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new ArrayBlockingQueue<>(WAITING), task -> {
                    Thread thread = new Thread(task, "settings");
                    thread.setDaemon(true);
                    return thread;
                });
        one.allowCoreThreadTimeOut(true);
        this.executor = one;
    }

    @Override
    public Optional<Reason> filter(byte[] sql, int offset, int length, @Nullable String schema) {
        return Optional.of(Reason.DISABLED);
    }

    @Override
    public void submit(FanOutRequest request) {
        ProxyStatement statement =
                ProxyStatement.of(request.sql(), 0, request.sql().length).orElse(null);
        if (statement instanceof ProxyStatement.Explain) {
            ProxyAnswer.send(
                    request.client(), Explanation.refused(Reason.DISABLED, "").table(), ServerFlavor.MYSQL);
        } else if (statement instanceof ProxyStatement.SetVariable
                || statement instanceof ProxyStatement.Reload
                || statement instanceof ProxyStatement.Purge) {
            change(new SettingsStatement(request.client(), statement, settings, () -> {}, ServerFlavor.MYSQL));
        } else {
            request.client().passThrough();
        }
    }

    private void change(SettingsStatement statement) {
        try {
            executor.execute(statement::run);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            statement.client().passThrough();
        }
    }

    @Override
    public void killed(long backendThreadId) {}
}
