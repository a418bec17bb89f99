package io.fanfold.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.session.channel.DisconnectReason;
import io.fanfold.session.channel.SessionUse;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SessionDrainTest {
    private static final long FAR = System.nanoTime() + Duration.ofDays(1).toNanos();
    private static final long PAST = System.nanoTime() - 1;

    private final EmbeddedChannel client = new EmbeddedChannel();
    private final List<DisconnectReason> ends = new ArrayList<>();
    private SessionUse use = SessionUse.IDLE;
    private final SessionDrain drain = new SessionDrain(
            new SessionDrain.DrainedSession() {
                @Override
                public SessionUse use() {
                    return use;
                }

                @Override
                public void drained(DisconnectReason reason, SessionUse last) {
                    ends.add(reason);
                }
            },
            client.eventLoop());

    @BeforeEach
    void timeStandsStill() {
        client.freezeTime();
    }

    private void pass(Duration time) {
        client.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
        client.runScheduledPendingTasks();
    }

    private void settles(SessionUse now) {
        use = now;
        drain.settled(now);
    }

    @Test
    void nothingEndsBeforeTheProxyStops() {
        settles(SessionUse.IDLE);
        drain.loggedIn();
        pass(Duration.ofHours(1));
        assertThat(ends).isEmpty();
        assertThat(drain.begun()).isFalse();
    }

    @Test
    void anIdleSessionEndsWhenItsClientIsQuiet() {
        drain.begin(FAR);
        pass(SessionDrain.QUIET.minusMillis(1));
        settles(SessionUse.STATEMENT);
        settles(SessionUse.IDLE);
        pass(SessionDrain.QUIET.minusMillis(1));
        assertThat(ends).isEmpty();
        pass(Duration.ofMillis(1));
        assertThat(ends).containsExactly(DisconnectReason.DRAINED);
    }

    @Test
    void aClientThatIsNeverQuietIsEndedRightAfterAnAnswer() {
        use = SessionUse.STATEMENT;
        drain.begin(PAST);
        pass(Duration.ofHours(1));
        settles(SessionUse.TRANSACTION);
        assertThat(ends).isEmpty();
        settles(SessionUse.IDLE);
        assertThat(ends).containsExactly(DisconnectReason.DRAINED);
    }

    @Test
    void aLoginMayTakeAsLongAsBursts() {
        use = SessionUse.LOGIN;
        drain.begin(System.nanoTime() + Duration.ofMinutes(1).toNanos());
        pass(Duration.ofSeconds(50));
        assertThat(ends).isEmpty();
        pass(Duration.ofSeconds(10));
        assertThat(ends).containsExactly(DisconnectReason.DRAINED);
    }

    @Test
    void afterALoginTheClientMayAsk() {
        use = SessionUse.LOGIN;
        drain.begin(PAST);
        use = SessionUse.IDLE;
        drain.loggedIn();
        pass(SessionDrain.QUIET.minusMillis(1));
        assertThat(ends).isEmpty();
        pass(Duration.ofMillis(1));
        assertThat(ends).containsExactly(DisconnectReason.DRAINED);
    }

    @Test
    void whenItStopsOnlyARunningFanOutIsWaitedFor() {
        drain.begin(FAR);
        drain.stopping();
        settles(SessionUse.FAN_OUT);
        assertThat(ends).isEmpty();
        settles(SessionUse.TRANSACTION);
        assertThat(ends).containsExactly(DisconnectReason.STOPPED);
    }
}
