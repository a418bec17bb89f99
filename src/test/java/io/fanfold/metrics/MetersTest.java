package io.fanfold.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.fanfold.reason.Reason;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MetersTest {
    private final Meters metrics = new Meters();

    @Test
    void startsAtNothing() {
        assertThat(metrics.counts().passedThrough()).isEmpty();
        assertThat(metrics.counts().summary())
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

        Counts counts = metrics.counts();
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
        assertThat(metrics.counts().summary())
                .contains(" snapshots=3 (not_equal=1 verified=2) snapshot_rounds=13 snapshot_millis=3 queued=");
        assertThat(counts.cancelled()).isEqualTo(1);
        assertThat(counts.queued()).isEqualTo(4);
        assertThat(counts.queuedNow()).isEqualTo(1);
        assertThat(counts.waitedInVain()).isEqualTo(1);
        assertThat(counts.queueNanos()).isEqualTo(7_500_000);
        assertThat(counts.queueFull()).isEqualTo(2);
        assertThat(counts.revoked()).isEqualTo(1);
        assertThat(metrics.counts().summary())
                .contains(" queued=4 queue_millis=7 waited_in_vain=1 queue_full=2 asked_back=1 cancelled=1 ");
        assertThat(counts.clientsSeen()).isEqualTo(2);
        assertThat(counts.clientsNow()).isEqualTo(1);
        assertThat(metrics.counts().summary()).endsWith("passed_through=3 (view=1 few_rows=2)");
    }

    /** Every counter of the identity is shown before its first event, so that rates are right from the beginning. */
    @Test
    void namesAndUnitsAreThoseOfPrometheus() {
        metrics.attempted();
        metrics.passedThrough(Reason.FEW_ROWS);
        metrics.fannedOut(8, 4, "verified", List.of(5), 2_000_000);
        metrics.relayed(300_000);
        metrics.snapshot("verified", 2, 1_500_000);
        metrics.clientConnected();
        metrics.clientRefused();
        metrics.serverConnection(false);
        metrics.memory(() -> 17, () -> 4096);
        metrics.verified(new VerifyReport(VerifyResult.DIFFERENT, 5));
        metrics.backend(() -> false);
        metrics.version("1.2.3");
        List<String> lines = lines(null);
        assertThat(lines)
                .contains(
                        "# TYPE fanfold_statements_attempted_total counter",
                        "fanfold_statements_attempted_total 1.0",
                        "fanfold_statements_executed_total 1.0",
                        "fanfold_statements_not_chosen_total{reason=\"few_rows\"} 1.0",
                        "fanfold_statements_cancelled_total 0.0",
                        "fanfold_clients_refused_total 1.0",
                        "fanfold_statements_broken_off_total 0.0",
                        "# TYPE fanfold_split_statement_seconds histogram",
                        "fanfold_split_statement_seconds_bucket{le=\"0.001\"} 0",
                        "fanfold_split_statement_seconds_bucket{le=\"0.0025\"} 1",
                        "fanfold_relayed_statement_seconds_bucket{le=\"5.0E-4\"} 1",
                        "fanfold_relayed_statement_seconds_count 1",
                        "fanfold_snapshot_seconds_count{outcome=\"verified\"} 1",
                        "fanfold_snapshot_rounds_total{outcome=\"verified\"} 2.0",
                        "fanfold_admission_waiting 0.0",
                        "fanfold_admission_wait_seconds_count{outcome=\"in_vain\"} 0",
                        "fanfold_verifications_total{result=\"different\"} 1.0",
                        "fanfold_verifications_total{result=\"same\"} 0.0",
                        "fanfold_clients 1.0",
                        "fanfold_clients_connected_total 1.0",
                        "fanfold_server_connections_total{outcome=\"failed\"} 1.0",
                        "fanfold_merge_memory_bytes 17.0",
                        "fanfold_merge_memory_limit_bytes 4096.0",
                        "fanfold_backend_up 0.0",
                        "fanfold_build_info{version=\"1.2.3\"} 1");
        for (Reason reason : Reason.values()) {
            assertThat(lines)
                    .anyMatch(line ->
                            line.startsWith("fanfold_statements_not_chosen_total{reason=\"" + reason.label() + "\"} "));
        }
    }

    @Test
    void theFormatIsTheOneThatTheReaderKnows() {
        assertThat(metrics.scrape(null).contentType()).startsWith("text/plain; version=0.0.4");
        assertThat(metrics.scrape("application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
                        .contentType())
                .startsWith("application/openmetrics-text; version=1.0.0");
        assertThat(lines("application/openmetrics-text")).endsWith("# EOF");
    }

    @Test
    void theRuntimeIsShownOnceItIsAskedFor() {
        assertThat(lines(null)).noneMatch(line -> line.startsWith("jvm_"));
        EventExecutorGroup loops = new DefaultEventExecutorGroup(1);
        try {
            metrics.runtime().begin(loops);
            assertThat(lines(null))
                    .anyMatch(line -> line.startsWith("jvm_memory_used_bytes{"))
                    .anyMatch(line -> line.startsWith("jvm_gc_pause_seconds") || line.startsWith("jvm_gc_"))
                    .anyMatch(line -> line.startsWith("process_files_open_files "))
                    .anyMatch(line -> line.startsWith("netty_allocator_memory_used{"))
                    .anyMatch(line -> line.startsWith("netty_eventexecutor_tasks_pending{"));
        } finally {
            loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
            metrics.close();
        }
    }

    private List<String> lines(@Nullable String accept) {
        return new String(metrics.scrape(accept).body(), StandardCharsets.UTF_8)
                .lines()
                .toList();
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
        assertThat(metrics.counts().passedThrough()).containsOnly(entry(Reason.HINT, 40_000L));
    }
}
