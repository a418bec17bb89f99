package io.fanfold.session;

import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.session.channel.DisconnectReason;

/**
 * The attempt to connect to the server for a client, counted once. It succeeds with the server's greeting: before, a server
 * may accept connections and serve no client. Event loop only.
 */
final class ServerAttempt {
    private final FanfoldMetrics metrics;
    private boolean begun;
    private boolean greeted;
    private boolean counted;

    ServerAttempt(FanfoldMetrics metrics) {
        this.metrics = metrics;
    }

    /** Begins it. Returns false if it has begun. */
    boolean begin() {
        boolean first = !begun;
        begun = true;
        return first;
    }

    boolean begun() {
        return begun;
    }

    boolean greeted() {
        return greeted;
    }

    void greets() {
        greeted = true;
        count(true);
    }

    /** The server could not be reached. The client may have gone before, perhaps because this took so long. */
    void failed() {
        count(false);
    }

    /** The session ends. Returns whether the cause is that the server has not greeted. */
    boolean failed(DisconnectReason reason) {
        boolean failed = begun && !greeted && reason.ofServer();
        if (failed) {
            count(false);
        }
        return failed;
    }

    private void count(boolean opened) {
        if (!counted) {
            counted = true;
            metrics.serverConnection(opened);
        }
    }
}
