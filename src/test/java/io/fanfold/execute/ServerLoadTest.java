package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServerLoadTest {
    private long now = -7;

    private final ServerLoad load = new ServerLoad(() -> now);

    @Test
    void theMeanCountsEachQueryForTheTimeThatItRan() {
        ServerLoad.Mark begin = load.mark();
        assertThat(load.meanSince(begin)).as("no time has passed").isZero();
        load.begins();
        now += 10;
        ServerLoad.Mark later = load.mark();
        load.begins();
        load.begins();
        now += 10;
        assertThat(load.meanSince(begin)).isEqualTo(2);
        assertThat(load.meanSince(later)).isEqualTo(3);
        load.ends();
        load.ends();
        load.ends();
        now += 20;
        assertThat(load.meanSince(begin)).isEqualTo(1);
        assertThat(load.meanSince(load.mark())).isZero();
    }
}
