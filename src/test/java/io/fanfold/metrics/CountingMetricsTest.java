package io.fanfold.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.fanfold.reason.Reason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CountingMetricsTest {
    private final CountingMetrics metrics = new CountingMetrics();

    @Test
    void startsAtNothing() {
        assertThat(metrics.snapshot().passedThrough()).isEmpty();
        assertThat(metrics.summary())
                .isEqualTo("stopped: clients=0 fan_outs=0 partition_queries=0 fan_out_millis=0 filters=0"
                        + " first_in_transaction=0 later_in_transaction=0 snapshots=0"
                        + " snapshot_rounds=0 snapshot_millis=0 queued=0 queue_millis=0 waited_in_vain=0 queue_full=0"
                        + " asked_back=0 cancelled=0 broken_off=0 passed_through=0");
    }

    @Test
    void countsEachEvent() {
        metrics.clientConnected();
        metrics.clientConnected();
        metrics.clientDisconnected();
        metrics.passedThrough(Reason.FEW_ROWS);
        metrics.passedThrough(Reason.VIEW);
        metrics.passedThrough(Reason.FEW_ROWS);
        metrics.fannedOut(8, 4, "verified", List.of(5, 70), 2_000_000);
        metrics.fannedOut(3, 2, "relaxed", List.of(), 3_000_000);
        metrics.inTransaction(true);
        metrics.inTransaction(false);
        metrics.inTransaction(false);
        metrics.snapshot("verified", 2, 1_600_000);
        metrics.snapshot("not_equal", 10, 400_000);
        metrics.snapshot("verified", 1, 1_000_000);
        metrics.cancelled();
        metrics.queued();
        metrics.queued();
        metrics.queued();
        metrics.queued();
        metrics.leftQueue(true, 3_000_000);
        metrics.leftQueue(false, 4_000_000);
        metrics.leftQueue(true, 500_000);
        metrics.queueFull();
        metrics.queueFull();
        metrics.revoked();

        CountingMetrics.Counts counts = metrics.snapshot();
        assertThat(counts.passedThrough()).containsOnly(entry(Reason.VIEW, 1L), entry(Reason.FEW_ROWS, 2L));
        assertThat(counts.passes()).isEqualTo(3);
        assertThat(counts.fanOuts()).isEqualTo(2);
        assertThat(counts.partitionQueries()).isEqualTo(11);
        assertThat(counts.fanOutNanos()).isEqualTo(5_000_000);
        assertThat(counts.filters()).isEqualTo(2);
        assertThat(counts.firstInTransaction()).isEqualTo(1);
        assertThat(counts.laterInTransaction()).isEqualTo(2);
        assertThat(counts.snapshots()).containsExactly(entry("not_equal", 1L), entry("verified", 2L));
        assertThat(counts.snapshotRounds()).isEqualTo(13);
        assertThat(counts.snapshotNanos()).isEqualTo(3_000_000);
        assertThat(metrics.summary())
                .contains(" snapshots=3 (not_equal=1 verified=2) snapshot_rounds=13 snapshot_millis=3 queued=");
        assertThat(counts.cancelled()).isEqualTo(1);
        assertThat(counts.queued()).isEqualTo(4);
        assertThat(counts.queuedNow()).isEqualTo(1);
        assertThat(counts.waitedInVain()).isEqualTo(1);
        assertThat(counts.queueNanos()).isEqualTo(7_500_000);
        assertThat(counts.queueFull()).isEqualTo(2);
        assertThat(counts.revoked()).isEqualTo(1);
        assertThat(metrics.summary())
                .contains(" queued=4 queue_millis=7 waited_in_vain=1 queue_full=2 asked_back=1 cancelled=1 ");
        assertThat(counts.clientsSeen()).isEqualTo(2);
        assertThat(counts.clientsNow()).isEqualTo(1);
        assertThat(metrics.summary()).endsWith("passed_through=3 (view=1 few_rows=2)");
    }

    @Test
    void losesNothingBetweenThreads() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> {
                for (int n = 0; n < 10_000; n++) {
                    metrics.passedThrough(Reason.HINT);
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(metrics.snapshot().passedThrough()).containsOnly(entry(Reason.HINT, 40_000L));
    }
}
