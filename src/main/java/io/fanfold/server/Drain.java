package io.fanfold.server;

import io.fanfold.config.Quantity;
import io.fanfold.session.ClientSession;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of all sessions of a stopping proxy. Until the time limit each session ends when its client has nothing open.
 * Then all others are ended. The log tells how many are left. For one thread.
 */
final class Drain {
    private static final Logger LOG = LoggerFactory.getLogger(Drain.class);

    /** The time between two lines in the log. */
    private static final Duration REPORT = Duration.ofSeconds(5);

    /** How long clients may be busy with short statements before a session ends right after one of them. */
    private static final Duration BURSTS = Duration.ofSeconds(5);

    /** Longer than a cancelled fan-out takes to end its answer. */
    private static final Duration FAN_OUTS = Duration.ofSeconds(5);

    /** For the last packets to slow clients. */
    private static final Duration LAST_PACKETS = Duration.ofSeconds(5);

    private final SessionRegistry sessions;
    private final Runnable cancelFanOuts;
    private final Duration time;

    /**
     * @param cancelFanOuts ends all fan-outs with an error for the client; returns at once
     * @param time how long sessions may be in use, 0 or more
     */
    Drain(SessionRegistry sessions, Runnable cancelFanOuts, Duration time) {
        this.sessions = sessions;
        this.cancelFanOuts = cancelFanOuts;
        this.time = time;
    }

    void run() throws InterruptedException {
        if (!untilUnused()) {
            SessionCensus cut = SessionCensus.of(sessions.all());
            if (cut.total() > 0 && !time.isZero()) {
                LOG.warn("limits.drain-time ({}) has ended; Fanfold disconnects {}", Quantity.text(time), cut);
            }
            cutOff();
        }
    }

    /** Returns whether all sessions have ended in time. */
    private boolean untilUnused() throws InterruptedException {
        long begin = System.nanoTime();
        Duration bursts = time.dividedBy(2).compareTo(BURSTS) < 0 ? time.dividedBy(2) : BURSTS;
        SessionCensus before = SessionCensus.of(sessions.all());
        LOG.info("draining for up to {}: {}", Quantity.text(time), before);
        if (!time.isZero()) {
            sessions.all().forEach(session -> session.drain(begin + bursts.toNanos()));
        }
        Duration left = time;
        while (!sessions.awaitNone(left.compareTo(REPORT) < 0 ? left : REPORT)) {
            left = time.minusNanos(System.nanoTime() - begin);
            if (left.isNegative() || left.isZero()) {
                return false;
            }
            LOG.info("draining for another {} s: {}", left.toSeconds() + 1, SessionCensus.of(sessions.all()));
        }
        return true;
    }

    /** Ends fan-outs with an error, also in the middle of an answer, and then everything else. */
    private void cutOff() throws InterruptedException {
        cancelFanOuts.run();
        sessions.all().forEach(ClientSession::stop);
        if (!sessions.awaitNone(FAN_OUTS)) {
            sessions.all().forEach(ClientSession::cut);
            sessions.awaitNone(LAST_PACKETS);
        }
    }
}
