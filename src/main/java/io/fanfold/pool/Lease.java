package io.fanfold.pool;

import io.fanfold.client.ServerException;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.SideConnection;
import io.fanfold.client.WireConnection;
import io.fanfold.snapshot.SnapshotOpener;
import io.fanfold.snapshot.SnapshotQueries;
import io.fanfold.snapshot.WorkerReplies;
import io.fanfold.variables.ResultsCharset;
import io.fanfold.variables.SessionSettings;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The right to use one worker connection until {@link #close}. For use by one thread at a time.
 *
 * <p>If all replies have been read, closing rolls back an open transaction and returns the connection to the pool.
 * Otherwise it closes the connection. Kill a statement that may still run, and wait for the kill to return, before
 * closing: a later kill would hit the next borrower.
 */
public final class Lease implements AutoCloseable {
    /**
     * Total length of texts that fit into the socket buffers at up to four bytes a character, with the other commands
     * sent before a reply.
     */
    private static final int SHORT_CHARS = WireConnection.AHEAD_BYTES / 5;

    private static final Duration ROLLBACK_TIMEOUT = Duration.ofSeconds(5);

    private final PooledConnections connections;
    private final Connection pooled;
    private final AdmissionController permits;
    private final AdmissionController.Holding holding;
    private final KillSwitch kills;
    private final WorkerConnection worker;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Whether a setting was refused. The worker's settings are then not those that {@link WorkerSession} assumes. */
    private boolean spoilt;

    /** The number of groups of settings whose replies have not been checked. */
    private int unchecked;

    private boolean revoked;

    /**
     * @param connections takes back {@code pooled}
     * @param permits takes back one permit of {@code holding}
     * @param kills kills statements on the server
     */
    Lease(
            PooledConnections connections,
            Connection pooled,
            AdmissionController permits,
            AdmissionController.Holding holding,
            KillSwitch kills)
            throws SQLException {
        this.connections = connections;
        this.pooled = pooled;
        this.permits = permits;
        this.holding = holding;
        this.kills = kills;
        this.worker = pooled.unwrap(WorkerConnection.Facade.class).worker();
    }

    /** Returns the connection. The caller must neither close it nor use it after {@link #close}. */
    public WireConnection connection() {
        return worker.wire();
    }

    /** Returns the facts about the server of this connection. */
    public ServerFacts facts() {
        return worker.facts();
    }

    /** Returns the server's key and address. */
    SideConnection.ServerPlace place() {
        return new SideConnection.ServerPlace(facts().serverKey(), connection().address());
    }

    /**
     * Applies a client session's settings to workers. Sends each worker only the settings that differ from its own, and
     * sends to all before it waits for any.
     *
     * @throws ServerException if a worker may not change a setting, e.g. the database; its connection is not reused
     */
    public static void apply(List<Lease> leases, SessionSettings settings, ResultsCharset results)
            throws IOException, ServerException {
        send(leases, settings, results);
        settle(leases);
    }

    /**
     * Sends the settings of {@link #apply} without waiting, so that the next statements follow at once. The caller then
     * calls {@link #settle}.
     */
    public static void send(List<Lease> leases, SessionSettings settings, ResultsCharset results) throws IOException {
        for (Lease lease : leases) {
            List<String> own = lease.worker.session().statements(settings, results);
            lease.unchecked++;
            lease.connection().sendSettings(own);
        }
    }

    /** Waits for the replies to {@link #send}, unless they have been read before those to later statements. */
    public static void settle(List<Lease> leases) throws IOException, ServerException {
        Reply.@Nullable Failed first = null;
        for (Lease lease : leases) {
            Reply.Failed refused = lease.connection().settled();
            lease.unchecked--;
            lease.spoilt |= refused != null;
            first = first == null ? refused : first;
        }
        if (first != null) {
            throw new ServerException(first);
        }
    }

    /**
     * Queries for one worker, and a statement to prepare. Their results are not converted, so column names lose no
     * characters and columns have the collations of their expressions. Long texts are not sent with the snapshot. For
     * use by one thread.
     */
    public final class Inquiry implements SnapshotQueries {
        private final List<String> statements;
        private final String prepared;
        private final SessionSettings settings;
        private final ResultsCharset then;
        private int settling;
        private int settled;
        private boolean sent;
        private boolean answered;
        private List<Reply> replies = List.of();
        private Reply.@Nullable Prepared columns;
        private @Nullable ServerException unprepared;
        private @Nullable ServerException refusedSetting;

        private Inquiry(List<String> statements, String prepared, SessionSettings settings, ResultsCharset then) {
            this.statements = List.copyOf(statements);
            this.prepared = prepared;
            this.settings = settings;
            this.then = then;
        }

        @Override
        public void forget() {
            answered = false;
        }

        @Override
        public void send() throws IOException {
            sent = prepared.length()
                            + statements.stream().mapToInt(String::length).sum()
                    < SHORT_CHARS;
            if (!sent) {
                return;
            }
            WireConnection wire = connection();
            List<String> before = before();
            List<String> after = after();
            unchecked++;
            wire.sendTexts(before);
            wire.sendPrepare(prepared);
            wire.sendTexts(after);
            settled = after.size();
        }

        @Override
        public void receive() throws IOException {
            if (!sent) {
                return;
            }
            sent = false;
            WireConnection wire = connection();
            replies = wire.receive(settling + statements.size());
            receivePrepared();
            settled(wire.receive(settled));
        }

        /** Runs everything, with a few round trips. */
        private void run() throws IOException {
            WireConnection wire = connection();
            List<String> before = before();
            unchecked++;
            replies = wire.pipeline(before);
            wire.sendPrepare(prepared);
            receivePrepared();
            settled(wire.pipeline(after()));
        }

        private List<String> before() {
            List<String> before = new ArrayList<>(worker.session().statements(settings, ResultsCharset.UNCONVERTED));
            settling = before.size();
            before.addAll(statements);
            return before;
        }

        private List<String> after() {
            return worker.session().statements(settings, then);
        }

        private void receivePrepared() throws IOException {
            columns = null;
            unprepared = null;
            try {
                columns = connection().receivePrepared();
            } catch (ServerException e) {
                unprepared = e;
            }
        }

        private void settled(List<Reply> last) {
            for (Reply reply : Stream.concat(replies.subList(0, settling).stream(), last.stream())
                    .toList()) {
                if (reply instanceof Reply.Failed failed) {
                    refusedSetting = new ServerException(failed);
                    spoilt = true;
                }
            }
            unchecked--;
            answered = true;
        }

        /**
         * Returns the replies inside the open snapshot. Runs the queries now if they were not sent with it.
         *
         * @throws ServerException if the statement cannot be prepared or a setting cannot be changed
         */
        public Asked answers() throws IOException, ServerException {
            if (!answered) {
                run();
            }
            if (refusedSetting != null) {
                throw refusedSetting;
            }
            if (unprepared != null) {
                throw unprepared;
            }
            return new Asked(replies.subList(settling, replies.size()), Objects.requireNonNull(columns));
        }
    }

    /**
     * The replies of a worker.
     *
     * @param replies one for each statement, in order
     * @param prepared the result columns of the prepared statement
     */
    public record Asked(List<Reply> replies, Reply.Prepared prepared) {
        public Asked {
            replies = List.copyOf(replies);
        }
    }

    /**
     * Returns queries for this worker.
     *
     * @param statements run in this order, at least one
     * @param prepared prepared afterwards
     * @param settings the settings that the worker has
     * @param then the character set of its results afterwards
     */
    public Inquiry inquire(List<String> statements, String prepared, SessionSettings settings, ResultsCharset then) {
        return new Inquiry(statements, prepared, settings, then);
    }

    /** Whether the server answers a ping within a second. */
    boolean alive() {
        try {
            return pooled.isValid(1);
        } catch (SQLException e) {
            return false;
        }
    }

    /** Sends the end of the transaction without waiting. The server runs it after all statements sent before. */
    public void sendEnd() throws IOException {
        connection().sendAhead(SnapshotOpener.ROLLBACK.getBytes(StandardCharsets.US_ASCII));
    }

    /** Reads the reply to {@link #sendEnd}. All other replies have been read. */
    public void awaitEnd() throws IOException, ServerException {
        WorkerReplies.succeeded(List.of(connection().receive(1)));
    }

    /** Ends an open transaction and its snapshot. The server may take up to 5 seconds. */
    public void endTransaction() throws IOException, ServerException {
        endTransactions(List.of(this));
    }

    /** Ends the open transactions of several leases at once; skips closed leases. */
    public static void endTransactions(List<Lease> leases) throws IOException, ServerException {
        rollBack(leases.stream()
                .filter(lease -> !lease.closed())
                .map(lease -> lease.worker.wire())
                .toList());
    }

    private static void rollBack(List<WireConnection> wires) throws IOException, ServerException {
        List<WireConnection> open =
                wires.stream().filter(WireConnection::inTransaction).toList();
        List<Duration> before = open.stream().map(WireConnection::readTimeout).toList();
        try {
            for (WireConnection wire : open) {
                wire.readTimeout(ROLLBACK_TIMEOUT);
            }
            WorkerReplies.succeeded(WorkerReplies.everywhere(open, List.of(SnapshotOpener.ROLLBACK)));
        } finally {
            // a connection that reported an error may be used again: restore its timeout
            for (int i = 0; i < open.size(); i++) {
                if (!open.get(i).broken()) {
                    open.get(i).readTimeout(before.get(i));
                }
            }
        }
    }

    /**
     * Whether the caller should release this connection although it could still use it: other requests wait, and this
     * lease's query holds more than one connection. After true, the caller must close the lease as soon as possible.
     */
    public boolean revoked() {
        revoked = revoked || permits.revoke(holding);
        return revoked;
    }

    /** Releases the connection. Never fails, and does nothing the second time. */
    @Override
    public void close() {
        closeAll(List.of(this));
    }

    /** Whether the lease has been closed. */
    public boolean closed() {
        return closed.get();
    }

    /**
     * Releases connections of one fan-out together, so that a request waiting for several gets them all. Skips closed
     * leases.
     */
    public static void closeAll(List<Lease> leases) {
        List<Lease> open = leases.stream()
                .filter(lease -> lease.closed.compareAndSet(false, true))
                .toList();
        try {
            open.forEach(lease ->
                    lease.connections.putBack(lease.pooled, !lease.spoilt && lease.unchecked == 0 && lease.clean()));
        } finally {
            open.stream()
                    .collect(Collectors.groupingBy(lease -> lease.holding))
                    .forEach((held, own) -> own.get(0).permits.release(held, own.size(), (int)
                            own.stream().filter(lease -> lease.revoked).count()));
        }
    }

    private boolean clean() {
        WireConnection wire = worker.wire();
        if (!wire.idle()) {
            return false;
        }
        try {
            rollBack(List.of(wire));
            return !wire.inTransaction();
        } catch (IOException | ServerException e) {
            return false;
        }
    }

    KillSwitch kills() {
        return kills;
    }
}
