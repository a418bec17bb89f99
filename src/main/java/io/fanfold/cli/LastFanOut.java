package io.fanfold.cli;

import io.fanfold.metrics.FanOutReport;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.metrics.VerifyReport;
import io.fanfold.reason.Reason;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Remembers what happened to the last statement that was considered, and forwards every event. Thread-safe. */
final class LastFanOut implements FanfoldMetrics {
    private final FanfoldMetrics next;
    private volatile FanOutReport report = FanOutReport.NONE;
    private volatile CompletableFuture<VerifyReport> verification = new CompletableFuture<>();

    LastFanOut(FanfoldMetrics next) {
        this.next = next;
    }

    FanOutReport report() {
        return report;
    }

    CompletableFuture<VerifyReport> verification() {
        return verification;
    }

    @Override
    public void attempted() {
        verification = new CompletableFuture<>();
        next.attempted();
    }

    @Override
    public void passedThrough(Reason reason) {
        report = FanOutReport.passed(reason.label());
        next.passedThrough(reason);
    }

    @Override
    public void fannedOut(int partitions, int degree, String snapshot, List<Integer> filterKeys, long nanos) {
        report = FanOutReport.split(partitions, degree, snapshot, filterKeys.size());
        next.fannedOut(partitions, degree, snapshot, filterKeys, nanos);
    }

    @Override
    public void inTransaction(boolean first) {
        next.inTransaction(first);
    }

    @Override
    public void reuse(ReuseOutcome outcome, long savedNanos) {
        next.reuse(outcome, savedNanos);
    }

    @Override
    public void snapshot(String outcome, int rounds, long nanos) {
        next.snapshot(outcome, rounds, nanos);
    }

    @Override
    public void relayed(long nanos) {
        next.relayed(nanos);
    }

    @Override
    public void serverConnection(boolean opened) {
        next.serverConnection(opened);
    }

    @Override
    public void queued() {
        next.queued();
    }

    @Override
    public void leftQueue(boolean admitted, long nanos) {
        next.leftQueue(admitted, nanos);
    }

    @Override
    public void queueFull() {
        next.queueFull();
    }

    @Override
    public void verified(VerifyReport last) {
        next.verified(last);
        verification.complete(last);
    }

    @Override
    public void revoked() {
        next.revoked();
    }

    @Override
    public void cancelled() {
        next.cancelled();
    }

    @Override
    public void brokeOff(Reason reason) {
        next.brokeOff(reason);
    }

    @Override
    public void clientConnected() {
        next.clientConnected();
    }

    @Override
    public void clientRefused() {
        next.clientRefused();
    }

    @Override
    public void clientDisconnected() {
        next.clientDisconnected();
    }
}
