package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.wire.ServerPacket;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class FanOutProgressTest {
    private static ServerPacket.Progress running(int stages, int thousandths) {
        return new ServerPacket.Progress(1, stages, thousandths, "Running partition queries");
    }

    @Test
    void reportsTheNumberOfFinishedQueries() {
        FanOutProgress progress = new FanOutProgress();
        assertThat(progress.get()).isEqualTo(running(1, 0));
        progress.begins(3, false);
        assertThat(progress.get()).isEqualTo(running(1, 0));
        progress.queryEnded(5);
        assertThat(progress.get()).isEqualTo(running(1, 33_333));
        progress.queryEnded(5);
        progress.queryEnded(5);
        progress.finishes();
        assertThat(progress.get()).isEqualTo(running(1, 100_000));
    }

    @Test
    void theFinalQueryIsAStage() {
        FanOutProgress progress = new FanOutProgress();
        progress.begins(2, true);
        progress.queryEnded(5);
        assertThat(progress.get()).isEqualTo(running(2, 50_000));
        progress.queryEnded(5);
        progress.finishes();
        assertThat(progress.get()).isEqualTo(new ServerPacket.Progress(2, 2, 0, "Finishing"));
    }

    @Test
    void thousandsOfQueriesAreCounted() {
        FanOutProgress progress = new FanOutProgress();
        progress.begins(1_000_000, false);
        for (int i = 0; i < 999_999; i++) {
            progress.queryEnded(5);
        }
        assertThat(progress.get()).isEqualTo(running(1, 99_999));
    }

    /** As MariaDB 10.11 sent it for an ALTER TABLE. */
    @Test
    void reportsHaveTheServersForm() {
        assertThat(new ServerPacket.Progress(1, 2, 54_990, "copy to tmp table").encode())
                .isEqualTo(HexFormat.of().parseHex("ffffff010102ced60011636f707920746f20746d70207461626c65"));
    }
}
