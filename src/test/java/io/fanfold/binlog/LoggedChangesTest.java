package io.fanfold.binlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.catalog.TableName;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LoggedChangesTest {
    private static final TableName TABLE = new TableName("d", "t");
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final LoggedChanges changes = new LoggedChanges(at(10), "");

    private static LogPosition at(long offset) {
        return new LogPosition.InFile("binlog.000002", offset);
    }

    private boolean unchanged(long since, long snapshot) {
        return changes.unchanged(at(since), at(snapshot), TABLE, OptionalInt.empty(), true);
    }

    private void change(long at, Integer... partitions) {
        GroupChanges group = new GroupChanges();
        group.rows(TABLE, Set.of(partitions));
        changes.commit(at(at), group);
    }

    @Test
    void everythingBetweenThePositionsMustHaveBeenRead() {
        changes.advance(at(50));
        assertThat(unchanged(10, 50)).isTrue();
        assertThat(unchanged(9, 50)).as("begins before the stream").isFalse();
        assertThat(unchanged(10, 51)).as("ends after the stream").isFalse();
        assertThat(unchanged(30, 20)).as("backwards").isFalse();
    }

    @Test
    void changesCountAfterTheEarlierSnapshot() {
        change(20);
        changes.advance(at(50));
        assertThat(unchanged(19, 50)).isFalse();
        assertThat(unchanged(20, 50)).isTrue();
        assertThat(changes.unchanged(at(10), at(50), new TableName("d", "u"), OptionalInt.empty(), true))
                .isTrue();
    }

    @Test
    void namesThatDifferInCaseAreTheSame() {
        change(20);
        for (TableName name : Set.of(new TableName("D", "T"), new TableName("d", "T"))) {
            assertThat(changes.unchanged(at(10), at(20), name, OptionalInt.empty(), true))
                    .isFalse();
        }
    }

    @Test
    void partitionsAreApart() {
        change(20, 1);
        change(30, 2);
        assertThat(changes.unchanged(at(10), at(30), TABLE, OptionalInt.of(0), true))
                .isTrue();
        assertThat(changes.unchanged(at(10), at(30), TABLE, OptionalInt.of(1), true))
                .isFalse();
        assertThat(changes.unchanged(at(20), at(30), TABLE, OptionalInt.of(1), true))
                .isTrue();
        assertThat(changes.unchanged(at(20), at(30), TABLE, OptionalInt.empty(), true))
                .isFalse();
    }

    /** The earlier changes are forgotten, since the last one counts for all tables. */
    @Test
    void changesOfEverything() {
        change(20, 1);
        GroupChanges group = new GroupChanges();
        group.everything();
        changes.commit(at(30), group);
        assertThat(unchanged(29, 30)).isFalse();
        assertThat(unchanged(30, 30)).isTrue();
    }

    @Test
    void waitsForAPosition() throws Exception {
        CompletableFuture<Boolean> reached = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            try {
                reached.complete(changes.reached(at(20), LIMIT));
            } catch (InterruptedException e) {
                reached.completeExceptionally(e);
            }
        });
        waiting.start();
        changes.advance(at(15));
        change(20);
        assertThat(reached.get()).isTrue();
        assertThat(changes.reached(at(21), Duration.ZERO)).isFalse();
    }

    @Test
    void nothingIsKnownAfterTheEnd() throws Exception {
        changes.end();
        assertThat(changes.reached(at(10), LIMIT)).isFalse();
        assertThat(unchanged(10, 10)).isFalse();
    }

    @Test
    void aMissedPositionThatTheServerDoesNotSendEndsTheStream() throws Exception {
        assertThat(changes.reached(at(20), Duration.ZERO)).isFalse();
        changes.heartbeat();
        assertThatThrownBy(changes::heartbeat).isInstanceOf(IOException.class);
    }

    @Test
    void aMissedPositionMayComeLater() throws Exception {
        assertThat(changes.reached(at(20), Duration.ZERO)).isFalse();
        changes.heartbeat();
        changes.advance(at(20));
        assertThatCode(() -> {
                    changes.heartbeat();
                    changes.heartbeat();
                })
                .doesNotThrowAnyException();
    }
}
