package io.fanfold.binlog;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a server's binary log from now on, and knows what no commit has changed between two snapshots. If the
 * connection is lost, the stream forgets everything and begins anew. Thread-safe.
 *
 * <p>It does not see what a session changes with sql_log_bin=0, and the rows of tables without transactions before they
 * are logged.
 */
public final class ChangeStream implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ChangeStream.class);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    /** The bytes of an event that are kept: enough for all but rows and long statements. */
    private static final int HEAD = 16 << 10;

    /** Server ids from here on are hardly used by servers. */
    private static final long FIRST_SERVER_ID = 0xc000_0000L;

    private static final String ENDED = "the server ended its log";

    private final Supplier<WireSettings> settings;
    private final long serverId = newServerId();
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition closing = lock.newCondition();

    /** Null until connected. */
    private @Nullable StreamConnection connection;

    /** Null unless events arrive. */
    private @Nullable LoggedChanges changes;

    /** Whether the connection is left for another server. */
    private boolean leaves;

    private String cause = "";
    private boolean closed;
    private final AtomicLong events = new AtomicLong();
    private volatile long lastEvent;

    private ChangeStream(Supplier<WireSettings> settings) {
        this.settings = settings;
        thread = new Thread(this::run, "change-stream");
        thread.setDaemon(true);
    }

    private static long newServerId() {
        return FIRST_SERVER_ID + ThreadLocalRandom.current().nextInt(1 << 29);
    }

    /**
     * Checks that a stream can read the log: connects, waits for the first event and disconnects.
     *
     * @param settings as in {@link #start}
     * @throws IOException if the server is not there, or does not log all changes; the message says why
     * @throws ServerException if the server refuses; the message names a privilege that is missing
     */
    public static void check(WireSettings settings) throws IOException, ServerException {
        StreamConnection opened = StreamConnection.open(settings, newServerId());
        try {
            if (next(opened, new byte[HEAD]) < 0) {
                throw new IOException(ENDED);
            }
        } finally {
            opened.connection().abort();
        }
    }

    /**
     * Starts a stream, which connects in a thread of its own.
     *
     * @param settings how to connect, asked before each attempt; the account needs REPLICATION SLAVE, and REPLICATION
     *     CLIENT on MySQL or BINLOG MONITOR on MariaDB
     * @return the stream; the caller closes it
     */
    public static ChangeStream start(Supplier<WireSettings> settings) {
        ChangeStream stream = new ChangeStream(settings);
        stream.thread.start();
        return stream;
    }

    /**
     * Returns what is known from the present connection. It remains valid for this connection only: positions of an
     * earlier one may be those of another server, or of a log before a reset.
     *
     * @return empty if no events arrive
     */
    public Optional<LoggedChanges> changes() {
        lock.lock();
        try {
            return Optional.ofNullable(changes);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Connects again if the stream reads from another server than this one. A server may still send its log when its
     * address already leads to another one.
     *
     * @param server see {@link LoggedChanges#server}
     */
    public void leaveOthersThan(String server) {
        lock.lock();
        try {
            if (changes != null && connection != null && !changes.server().equals(server)) {
                leaves = true;
                connection.connection().abort();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns what the stream is doing. */
    public StreamState state() {
        lock.lock();
        try {
            LoggedChanges now = changes;
            return new StreamState(now != null, cause, now == null ? null : now.current(), events.get(), lastEvent);
        } finally {
            lock.unlock();
        }
    }

    // whatever goes wrong, the stream forgets what it knows and begins anew
    @SuppressWarnings("IllegalCatch")
    private void run() {
        Duration pause = FIRST_PAUSE;
        while (!isClosed()) {
            String failure;
            try {
                read();
                failure = ENDED;
            } catch (IOException | ServerException | RuntimeException e) {
                failure = e.getMessage() == null ? e.toString() : e.getMessage();
            }
            if (forget(failure)) {
                pause = FIRST_PAUSE;
            }
            await(pause);
            pause = pause.compareTo(LONGEST_PAUSE.dividedBy(2)) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
        }
    }

    /** Reads until the connection is lost. */
    private void read() throws IOException, ServerException {
        StreamConnection opened = StreamConnection.open(settings.get(), serverId);
        if (!begin(opened)) {
            return;
        }
        LoggedChanges seen = new LoggedChanges(opened.start(), opened.server());
        ChangeReader reader = new ChangeReader(opened.start(), seen);
        byte[] head = new byte[HEAD];
        boolean first = true;
        long length = next(opened, head);
        while (length >= 0) {
            int kept = (int) Math.min(length, head.length);
            reader.read(head, 1, kept - 1, kept == length);
            lastEvent = System.nanoTime();
            events.incrementAndGet();
            if (first) {
                show(seen);
                first = false;
            }
            length = next(opened, head);
        }
    }

    private static long next(StreamConnection opened, byte[] head) throws IOException, ServerException {
        try {
            return opened.packets().next(head);
        } catch (ServerException e) {
            throw StreamRequirements.ofDump(e);
        }
    }

    /** Returns false if the stream was closed. */
    private boolean begin(StreamConnection opened) {
        lock.lock();
        try {
            connection = opened;
            if (closed) {
                opened.connection().close();
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private void show(LoggedChanges seen) {
        lock.lock();
        try {
            changes = seen;
            cause = "";
            LOG.info("reuse: the binary log is read from {}", seen.current());
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether events had arrived. */
    private boolean forget(String why) {
        lock.lock();
        try {
            String failure = leaves ? "another server answers at the address" : why;
            leaves = false;
            boolean read = changes != null;
            if (changes != null) {
                changes.end();
            }
            if (connection != null) {
                connection.connection().close();
            }
            changes = null;
            connection = null;
            if (!closed && !failure.equals(cause)) {
                LOG.warn("reuse: the binary log is not read, so nothing is used again: {}", failure);
            }
            cause = failure;
            return read;
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private void await(Duration pause) {
        lock.lock();
        try {
            long left = pause.toNanos();
            while (!closed && left > 0) {
                left = closing.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the stream and waits up to 5 s for its thread. Its answers are false from now on. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            closing.signalAll();
            if (connection != null) {
                connection.connection().abort();
            }
        } finally {
            lock.unlock();
        }
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
