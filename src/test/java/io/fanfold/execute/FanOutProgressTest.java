package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.CatalogTable.Partition;
import io.fanfold.plan.Part;
import io.fanfold.wire.ServerPacket;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class FanOutProgressTest {
    private static final Part PART = new Part(0, List.of(new Partition("p0", "p0", 1)));

    private static PartRun read(FanOutProgress progress) {
        PartRun run = progress.waits(0, PART);
        run.starts(7, System.nanoTime());
        progress.ended(run);
        return run;
    }

    private static ServerPacket.Progress running(int stages, int thousandths) {
        return new ServerPacket.Progress(1, stages, thousandths, "Running partition queries");
    }

    @Test
    void reportsTheNumberOfFinishedQueries() {
        FanOutProgress progress = new FanOutProgress();
        assertThat(progress.get()).isEqualTo(running(1, 0));
        progress.begins(3, false);
        assertThat(progress.get()).isEqualTo(running(1, 0));
        read(progress);
        assertThat(progress.get()).isEqualTo(running(1, 33_333));
        read(progress);
        read(progress);
        progress.finishes();
        assertThat(progress.get()).isEqualTo(running(1, 100_000));
    }

    @Test
    void rowsOfAllPartitionQueriesAreReceived() {
        FanOutProgress progress = new FanOutProgress();
        assertThat(progress.received()).isZero();
        read(progress).rows(3, 100);
        PartRun running = progress.waits(1, PART);
        running.row(10);
        assertThat(progress.received()).isEqualTo(4);
    }

    @Test
    void theFinalQueryIsAStage() {
        FanOutProgress progress = new FanOutProgress();
        progress.begins(2, true);
        read(progress);
        assertThat(progress.get()).isEqualTo(running(2, 50_000));
        read(progress);
        progress.finishes();
        assertThat(progress.get()).isEqualTo(new ServerPacket.Progress(2, 2, 0, "Finishing"));
    }

    @Test
    void thousandsOfQueriesAreCounted() {
        FanOutProgress progress = new FanOutProgress();
        progress.begins(1_000_000, false);
        for (int i = 0; i < 999_999; i++) {
            read(progress);
        }
        assertThat(progress.get()).isEqualTo(running(1, 99_999));
    }

    @Test
    void aQueryWhoseRowsAreReusedDoesNotWaitForAWorker() {
        PartRun run = new FanOutProgress().waits(0, PART);
        run.reuses(50, 100);
        run.ends(110);
        assertThat(run.waits()).isFalse();
        assertThat(run.done()).isTrue();
    }

    @Test
    void partitionQueriesWaitRunAndEnd() {
        FanOutProgress progress = new FanOutProgress();
        PartRun run = progress.waits(1, PART);
        assertThat(run.worker()).isZero();
        assertThat(run.waits()).isTrue();
        assertThat(run.nanos(10)).isZero();
        run.starts(7, 100);
        assertThat(run.waits()).isFalse();
        run.row(3);
        run.row(4);
        assertThat(run.worker()).isEqualTo(7);
        assertThat(run.nanos(150)).isEqualTo(50);
        assertThat(run.done()).isFalse();
        run.ends(160);
        assertThat(run.done()).isTrue();
        assertThat(run.nanos(1000)).isEqualTo(60);
        assertThat(run.rows()).isEqualTo(2);
        assertThat(run.bytes()).isEqualTo(7);
        assertThat(run.block()).isEqualTo(1);
        assertThat(progress.parts()).containsExactly(run);
    }

    /** As MariaDB 10.11 sent it for an ALTER TABLE. */
    @Test
    void reportsHaveTheServersForm() {
        assertThat(new ServerPacket.Progress(1, 2, 54_990, "copy to tmp table").encode())
                .isEqualTo(HexFormat.of().parseHex("ffffff010102ced60011636f707920746f20746d70207461626c65"));
    }
}
