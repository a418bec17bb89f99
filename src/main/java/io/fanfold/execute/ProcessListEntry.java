package io.fanfold.execute;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.execute.ClientConnection.Command;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
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
 * Makes a long-running split visible on the server. The client's own connection waits for a user-level lock, in a
 * statement with the client's text as a comment. So SHOW PROCESSLIST and the slow log show the statement under the
 * client's thread, and a KILL QUERY of that thread ends the split. A connection of the worker account holds the lock.
 * The wait ends when that connection is closed, at the latest when the proxy ends.
 *
 * <p>If any of this fails, the split goes on without it. Measured on MySQL 9.7.4 and MariaDB 10.11.18 (see
 * {@code ServerKillIT}):
 *
 * <ul>
 *   <li>The statement ends 1 ms after the connection with the lock.
 *   <li>Other locks of the session stay, and no warning is raised.
 *   <li>When killed, it fails with 1317 on MySQL, and returns one row whose first value is NULL on MariaDB.
 *   <li>MariaDB returns that row after the session's max_statement_time too, but the query is cancelled before that.
 * </ul>
 */
final class ProcessListEntry implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessListEntry.class);

    /** Shorter splits are not shown. */
    static final Duration AFTER = Duration.ofSeconds(1);

    /** The answer arrives some milliseconds after the lock is released. */
    private static final Duration MOST_WAIT = Duration.ofSeconds(1);

    /** The maximum bytes of the text that are shown; every server accepts a statement of this size. */
    private static final int MOST_BYTES = 1024;

    /** Longer than any split. */
    private static final int WAIT_SECONDS = 86_400;

    /** Takes user-level locks. */
    interface Locks {
        /** Returns the connection that holds the lock until it is closed. */
        WireConnection take(String name) throws IOException, ServerException;
    }

    private final QueryExecution query;
    private final ClientConnection client;
    private final ServerFlavor flavor;

    @GuardedBy("this")
    private @Nullable WireConnection lock;

    /** Completes when the shown statement has been answered. */
    @GuardedBy("this")
    private Future<Void> answered = CompletableFuture.completedFuture(null);

    private volatile boolean closed;

    ProcessListEntry(QueryExecution query, ClientConnection client, ServerFlavor flavor) {
        this.query = query;
        this.client = client;
        this.flavor = flavor;
    }

    /**
     * Shows the statement after it has run for a second, if it has not ended by then. Until this is closed, nothing
     * else may use the client's connection.
     *
     * @param sql the statement as the client sent it
     * @param charset the session's character set
     * @param arrival when it arrived, see {@link System#nanoTime}
     * @param threads may wait for the server
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
            LOG.debug("session {}: the statement is not shown on the server", client.backendThreadId(), e);
        }
    }

    /** Returns whether the lock is needed. */
    private synchronized boolean waitFor(WireConnection taken, byte[] statement) {
        if (closed) {
            return false;
        }
        lock = taken;
        answered = client.ask(List.of(new Command.ClientQuery(statement))).thenAccept(replies -> ended(replies.get(0)));
        return true;
    }

    private void ended(Reply reply) {
        if (closed) {
            return;
        }
        if (reply instanceof Reply.Failed failed) {
            LOG.debug("session {}: {} {}", client.backendThreadId(), failed.errno(), failed.message());
            if (Interruption.isKill(failed.errno())) {
                query.cancel(QueryExecution.Cancel.KILLED);
            }
        } else if (flavor.isMariaDb()
                && reply instanceof Reply.Result answer
                && !answer.rows().isEmpty()
                && answer.rows().get(0).isNull(0)) {
            query.cancel(QueryExecution.Cancel.KILLED);
        }
    }

    /**
     * The statement that is shown.
     *
     * @param name the lock's name
     */
    static byte[] statement(byte[] sql, Charset charset, String name) {
        String wait = " */ GET_LOCK('" + name + "', " + WAIT_SECONDS + "), RELEASE_LOCK('" + name + "')";
        return ("SELECT /* " + comment(sql, charset) + wait).getBytes(charset);
    }

    /** Returns the text, cut between two characters, so that it does not end its comment. */
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
     * Ends the statement, if it is shown, and waits for its answer. A client's next statement that arrives before the
     * answer would count as pipelined, and not be split.
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
            LOG.debug("session {}: the statement that was shown has no answer", client.backendThreadId(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
