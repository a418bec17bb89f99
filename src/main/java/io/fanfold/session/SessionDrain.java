package io.fanfold.session;

import io.fanfold.session.channel.DisconnectReason;
import io.fanfold.session.channel.SessionUse;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends the session of a stopping proxy when its client has nothing open. A client often sends several statements in a
 * row, and a new client logs in first. So for some time a session ends only after its client has been quiet for a
 * moment, and later right after an answer. Event loop only.
 */
final class SessionDrain {
    /** How long a client must be quiet. Longer than a driver takes from one statement to the next. */
    static final Duration QUIET = Duration.ofMillis(500);

    /** What the drain asks of its session. */
    interface DrainedSession {
        SessionUse use();

        /** Ends the session. */
        void drained(DisconnectReason reason, SessionUse use);
    }

    private enum Progress {
        SERVING,
        DRAINING,
        STOPPING
    }

    private final DrainedSession session;
    private final EventExecutor loop;
    private Progress progress = Progress.SERVING;

    /** When sessions begin to end right after an answer, in {@link System#nanoTime}. */
    private long hurryNanos;

    private @Nullable Future<?> timer;

    SessionDrain(DrainedSession session, EventExecutor loop) {
        this.session = session;
        this.loop = loop;
    }

    boolean begun() {
        return progress != Progress.SERVING;
    }

    /**
     * Ends the session as soon as its client has nothing open.
     *
     * @param hurryNanos the time from which a session ends right after an answer, and within its login, in {@link
     *     System#nanoTime}
     */
    void begin(long hurryNanos) {
        if (begun()) {
            return;
        }
        progress = Progress.DRAINING;
        this.hurryNanos = hurryNanos;
        if (session.use() == SessionUse.LOGIN) {
            after(Duration.ofNanos(Math.max(0, hurryNanos - System.nanoTime())), SessionUse.LOGIN);
        } else {
            loggedIn();
        }
    }

    /** The client has logged in, or is at any later point. */
    void loggedIn() {
        if (progress == Progress.DRAINING && session.use() == SessionUse.IDLE) {
            after(QUIET, SessionUse.IDLE);
        }
    }

    /** From now on the session ends with the statement that runs. */
    void stopping() {
        progress = Progress.STOPPING;
    }

    /** A packet or a command was processed, after which the client may have nothing open. */
    void settled(SessionUse use) {
        if (progress == Progress.STOPPING && use != SessionUse.STATEMENT && use != SessionUse.FAN_OUT) {
            session.drained(DisconnectReason.STOPPED, use);
        } else if (progress == Progress.DRAINING && use == SessionUse.IDLE) {
            if (System.nanoTime() - hurryNanos >= 0) {
                session.drained(DisconnectReason.DRAINED, use);
            } else {
                after(QUIET, SessionUse.IDLE);
            }
        }
    }

    private void after(Duration time, SessionUse expected) {
        end();
        timer = loop.schedule(
                () -> {
                    if (session.use() == expected) {
                        session.drained(DisconnectReason.DRAINED, expected);
                    }
                },
                time.toNanos(),
                TimeUnit.NANOSECONDS);
    }

    /** The session has ended. */
    void end() {
        Future<?> waiting = timer;
        if (waiting != null) {
            waiting.cancel(false);
            timer = null;
        }
    }
}
