package io.fanfold.session;

import io.fanfold.execute.StatementOffer;
import io.fanfold.execute.StatementSplitter;
import io.fanfold.reason.Reason;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Takes every statement that starts with SPLIT and keeps the offer for the test to act on. */
final class RecordingSplitter implements StatementSplitter {
    private final BlockingQueue<StatementOffer> offers = new LinkedBlockingQueue<>();
    private final List<Long> killed = new CopyOnWriteArrayList<>();
    private volatile @Nullable Error failure;

    @Override
    public Optional<Reason> filter(byte[] sql, int offset, int length, @Nullable String schema) {
        return new String(sql, offset, length, StandardCharsets.UTF_8).startsWith("SPLIT")
                ? Optional.empty()
                : Optional.of(Reason.NOT_A_SELECT);
    }

    @Override
    public void offer(StatementOffer offer) {
        Error thrown = failure;
        if (thrown != null) {
            throw thrown;
        }
        offers.add(offer);
    }

    /** From now on every offer fails. */
    void fail(Error with) {
        failure = with;
    }

    @Override
    public void killed(long backendThreadId) {
        killed.add(backendThreadId);
    }

    StatementOffer next() throws InterruptedException {
        StatementOffer offer = offers.poll(20, TimeUnit.SECONDS);
        if (offer == null) {
            throw new AssertionError("no statement was offered");
        }
        return offer;
    }

    boolean noneOffered() {
        return offers.isEmpty();
    }

    List<Long> killed() {
        return killed;
    }
}
