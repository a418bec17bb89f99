package io.fanfold.execute;

import io.fanfold.backend.ServerException;
import io.fanfold.backend.WireConnection;
import io.fanfold.execute.ClientPort.Command;
import io.fanfold.execute.ClientPort.Reply;
import java.io.IOException;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows a split that takes long on the server: the client's own connection waits for a user-level lock, in a statement that
 * has the client's text as a comment. So SHOW PROCESSLIST and the slow log have the statement under the client's thread, and a
 * KILL QUERY of that thread ends the split. The lock is held by a connection of the worker account, and the wait ends when
 * that is closed, also with the end of the proxy.
 *
 * <p>Where anything of this fails, the split goes on without it. Measured on MySQL 9.7.4 and MariaDB 10.11.18 (see {@code
 * ServerKillIT}): the statement ends 1 ms after the connection that has the lock; other locks of the session stay; no
 * warning is raised. Killed, it fails with 1317 on MySQL; on MariaDB it has one row whose first value is NULL, as it has after
 * the session's max_statement_time, by which the query is cancelled earlier.
 */
final class ProcessListEntry implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessListEntry.class);

    /** Splits that are shorter are not shown. */
    static final Duration AFTER = Duration.ofSeconds(1);

    /** The answer comes some milliseconds after the lock is free. */
    private static final Duration MOST_WAIT = Duration.ofSeconds(1);

    /** So long at most is what is shown of a text; with the rest every server takes the statement. */
    private static final int MOST_BYTES = 1024;

    /** Longer than any split. */
    private static final int WAIT_SECONDS = 86_400;

    /** Takes user-level locks. */
    interface Locks {
        /** Returns the connection that has the lock until it is closed. */
        WireConnection take(String name) throws IOException, ServerException;
    }

    private final LiveQuery query;
    private final ClientPort port;
    private final boolean mariaDb;

    /** Guarded by this. */
    private @Nullable WireConnection lock;

    /** Ends when the statement that is shown has been answered; guarded by this. */
    private Future<Void> answered = CompletableFuture.completedFuture(null);

    private volatile boolean closed;

    ProcessListEntry(LiveQuery query, ClientPort port, boolean mariaDb) {
        this.query = query;
        this.port = port;
        this.mariaDb = mariaDb;
    }

    /**
     * Shows the statement when it has run for a second, if it has not ended by then. From now on only this asks the client's
     * connection, until it is closed.
     *
     * @param sql the statement as the client sent it
     * @param charset the session's character set
     * @param arrival when it arrived, see {@link System#nanoTime}
     * @param threads wait for the server
     */
    void showLater(byte[] sql, Charset charset, long arrival, Executor threads, Locks locks) {
        query.after(AFTER.minusNanos(System.nanoTime() - arrival), () -> {
            try {
                threads.execute(() -> show(sql, charset, locks));
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                LOG.debug("the proxy has stopped, or there is no thread: the statement is not shown", e);
            }
        });
    }

    private void show(byte[] sql, Charset charset, Locks locks) {
        if (closed) {
            return;
        }
        String name = "fanfold " + Long.toHexString(ThreadLocalRandom.current().nextLong());
        try {
            WireConnection taken = locks.take(name);
            if (!waitFor(taken, statement(sql, charset, name))) {
                taken.close();
            }
        } catch (IOException | ServerException | RuntimeException e) {
            LOG.debug("session {}: the statement is not shown on the server", port.backendThreadId(), e);
        }
    }

    /** Returns whether the lock is needed. */
    private synchronized boolean waitFor(WireConnection taken, byte[] statement) {
        if (closed) {
            return false;
        }
        lock = taken;
        answered = port.ask(List.of(new Command.Query(statement))).thenAccept(replies -> ended(replies.get(0)));
        return true;
    }

    private void ended(Reply reply) {
        if (closed) {
            return;
        }
        if (reply instanceof Reply.Failed failed) {
            LOG.debug("session {}: {} {}", port.backendThreadId(), failed.errno(), failed.message());
            if (Interruption.isKill(failed.errno())) {
                query.cancel(LiveQuery.Cancel.KILLED);
            }
        } else if (mariaDb
                && reply instanceof Reply.Rows answer
                && !answer.rows().isEmpty()
                && answer.rows().get(0).isNull(0)) {
            query.cancel(LiveQuery.Cancel.KILLED);
        }
    }

    /**
     * The statement that is shown.
     *
     * @param name of the lock
     */
    static byte[] statement(byte[] sql, Charset charset, String name) {
        String wait = " */ GET_LOCK('" + name + "', " + WAIT_SECONDS + "), RELEASE_LOCK('" + name + "')";
        return ("SELECT /* " + comment(sql, charset) + wait).getBytes(charset);
    }

    /** A text that does not end the comment that it is in, cut between two characters. */
    private static String comment(byte[] sql, Charset charset) {
        String text = new String(sql, 0, Math.min(sql.length, MOST_BYTES), charset);
        boolean cut = sql.length > MOST_BYTES;
        while (cut && text.endsWith("\uFFFD")) {
            text = text.substring(0, text.length() - 1);
        }
        StringBuilder comment = new StringBuilder();
        char before = ' ';
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            if (before == '*' && letter == '/' || before == '/' && letter == '*') {
                comment.append(' ');
            }
            boolean shown = letter >= ' ' || letter == '\n' || letter == '\r' || letter == '\t';
            comment.append(shown ? letter : ' ');
            before = letter;
        }
        return comment.append(cut ? " ..." : "").toString();
    }

    /**
     * Ends the statement, if it is shown, and waits for its answer: a client's next statement that comes before that would be taken
     * for one that was sent too early, and not be split.
     */
    @Override
    public void close() {
        WireConnection held;
        Future<Void> last;
        synchronized (this) {
            closed = true;
            held = lock;
            last = answered;
            lock = null;
        }
        if (held == null) {
            return;
        }
        held.close();
        try {
            last.get(MOST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("session {}: the statement that was shown has no answer", port.backendThreadId(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
