package io.fanfold.binlog;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LogPositionTest {
    private static final LogPosition PLACE = new LogPosition.InFile("binlog.000099", 500);

    @Test
    void placesAreOrderedByFileNumberAndOffset() {
        assertThat(PLACE.includes(PLACE)).isTrue();
        assertThat(PLACE.includes(new LogPosition.InFile("binlog.000099", 501))).isFalse();
        assertThat(PLACE.includes(new LogPosition.InFile("binlog.000009", 900))).isTrue();
        assertThat(PLACE.includes(new LogPosition.InFile("binlog.000100", 4))).isFalse();
        assertThat(new LogPosition.InFile("binlog.1000000", 4).includes(new LogPosition.InFile("binlog.999999", 9)))
                .isTrue();
    }

    @Test
    void otherNamesCannotBeCompared() {
        for (String name : new String[] {"other.000001", "binlog", "binlog.x", "binlog.1234567890123456789", ""}) {
            LogPosition other = new LogPosition.InFile(name, 4);
            assertThat(PLACE.includes(other)).as(name).isFalse();
            assertThat(other.includes(PLACE)).as(name).isFalse();
            assertThat(other.includes(other)).as(name).isTrue();
        }
        LogPosition executed = LogPosition.executed("");
        assertThat(PLACE.includes(executed)).isFalse();
        assertThat(executed.includes(PLACE)).isFalse();
    }

    @Test
    void theFirstFileIsKnown() {
        assertThat(new LogPosition.InFile("binlog.000001", 4).isInFirstFile()).isTrue();
        assertThat(new LogPosition.InFile("binlog.000011", 4).isInFirstFile()).isFalse();
        assertThat(new LogPosition.InFile("binlog", 4).isInFirstFile()).isFalse();
    }

    @Test
    void executedSetsAreCompared() {
        String uuid = "aaaaaaaa-0000-0000-0000-000000000001";
        assertThat(LogPosition.executed(uuid + ":1-5").includes(LogPosition.executed(uuid + ":1-4")))
                .isTrue();
        assertThat(LogPosition.executed(uuid + ":1-5").includes(LogPosition.executed(uuid + ":6")))
                .isFalse();
    }
}
