package io.fanfold.session;

import io.fanfold.execute.FanOutDispatcher;
import io.fanfold.execute.FanOutRequest;
import io.fanfold.reason.Reason;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Accepts every statement that starts with SPLIT, and keeps the request for the test. */
public final class RecordingDispatcher implements FanOutDispatcher {
    private final BlockingQueue<FanOutRequest> offers = new LinkedBlockingQueue<>();
    private final List<Long> killed = new CopyOnWriteArrayList<>();
    private volatile @Nullable Error failure;

    @Override
    public Optional<Reason> filter(byte[] sql, int offset, int length, @Nullable String schema) {
        return new String(sql, offset, length, StandardCharsets.UTF_8).startsWith("SPLIT")
                ? Optional.empty()
                : Optional.of(Reason.NOT_A_SELECT);
    }

    @Override
    public void submit(FanOutRequest request) {
        Error thrown = failure;
        if (thrown != null) {
            throw thrown;
        }
        offers.add(request);
    }

    /** Makes every later request fail. */
    public void fail(Error with) {
        failure = with;
    }

    @Override
    public void killed(long backendThreadId) {
        killed.add(backendThreadId);
    }

    public FanOutRequest next() throws InterruptedException {
        FanOutRequest request = offers.poll(20, TimeUnit.SECONDS);
        if (request == null) {
            throw new AssertionError("no statement was offered");
        }
        return request;
    }

    boolean noneOffered() {
        return offers.isEmpty();
    }

    List<Long> killed() {
        return killed;
    }
}
