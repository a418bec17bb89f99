package io.fanfold.backend;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The right to use one worker connection until {@link #close}. A connection whose replies were all read is rolled back if
 * a transaction is open, and goes back to the pool; any other is closed. Kill what may still run, and let the kill
 * return, before closing: a kill that comes later would hit the next borrower. For one thread at a time.
 */
public final class Lease implements AutoCloseable {
    /** Texts that fit into the socket's buffers, four bytes a character, with what else is sent ahead. */
    private static final int SHORT_CHARS = WireConnection.AHEAD_BYTES / 5;

    private static final Duration ROLLBACK_TIMEOUT = Duration.ofSeconds(5);

    private final WorkerPool pool;
    private final Connection pooled;
    private final Permits.Holding holding;
    private final WorkerConnection worker;
    private final AtomicBoolean closed = new AtomicBoolean();
    private boolean spoilt;
    private boolean askedBack;

    Lease(WorkerPool pool, Connection pooled, Permits.Holding holding) throws SQLException {
        this.pool = pool;
        this.pooled = pooled;
        this.holding = holding;
        this.worker = pooled.unwrap(WorkerConnection.Facade.class).worker();
    }

    /** The connection; not to be used after {@link #close}, nor closed itself. */
    public WireConnection connection() {
        return worker.wire();
    }

    /** The facts of the server that this connection leads to. */
    public ServerFacts facts() {
        return worker.facts();
    }

    /** Which server it leads to, and where that is. */
    SideConnection.Place place() {
        return new SideConnection.Place(facts().serverKey(), connection().address());
    }

    /**
     * Brings workers to a client session's settings. Sends to all before waiting for any; sends nothing but the difference
     * to what each has.
     *
     * @throws ServerException when a worker may not take a setting, e.g. the database; its connection will not be reused
     */
    public static void apply(List<Lease> leases, SessionSettings settings, ResultsCharset results)
            throws IOException, ServerException {
        List<List<String>> statements = new ArrayList<>();
        for (Lease lease : leases) {
            List<String> own = lease.worker.session().statements(settings, results);
            lease.spoilt = true;
            statements.add(own);
            lease.connection().sendTexts(own);
        }
        Reply.@Nullable Failed first = null;
        for (int i = 0; i < leases.size(); i++) {
            boolean taken = true;
            for (int k = 0; k < statements.get(i).size(); k++) {
                if (leases.get(i).connection().receive() instanceof Reply.Failed failed) {
                    taken = false;
                    first = first == null ? failed : first;
                }
            }
            leases.get(i).spoilt = !taken;
        }
        if (first != null) {
            throw first.exception();
        }
    }

    /**
     * What a worker answered.
     *
     * @param replies one for each statement, in order
     * @param prepared what it says of the statement it prepared
     */
    public record Asked(List<Reply> replies, PreparedColumns prepared) {
        public Asked {
            replies = List.copyOf(replies);
        }
    }

    /**
     * Asks this worker in one round trip: it runs statements and prepares another while results are not converted, so that
     * no name is lost and the columns' collations are the expressions' own.
     *
     * @param settings the settings it has
     * @param then the character set of its results afterwards
     * @throws ServerException when the statement cannot be prepared, or a setting not be taken
     */
    public Asked ask(List<String> statements, String prepared, SessionSettings settings, ResultsCharset then)
            throws IOException, ServerException {
        WireConnection wire = worker.wire();
        List<String> before = new ArrayList<>(worker.session().statements(settings, ResultsCharset.UNCONVERTED));
        int settling = before.size();
        before.addAll(statements);
        List<String> after = worker.session().statements(settings, then);
        spoilt = true;
        List<Reply> replies;
        PreparedColumns columns = null;
        @Nullable ServerException failure = null;
        boolean ahead = Stream.concat(before.stream(), Stream.of(prepared))
                        .mapToInt(String::length)
                        .sum()
                < SHORT_CHARS;
        if (ahead) {
            wire.sendTexts(before);
            wire.sendPrepare(prepared);
            wire.sendTexts(after);
            replies = wire.receive(before.size());
        } else {
            replies = wire.pipeline(before);
            wire.sendPrepare(prepared);
        }
        try {
            columns = wire.receivePrepared();
        } catch (ServerException e) {
            failure = e;
        }
        List<Reply> settled = ahead ? wire.receive(after.size()) : wire.pipeline(after);
        for (Reply reply : Stream.concat(replies.subList(0, settling).stream(), settled.stream())
                .toList()) {
            if (reply instanceof Reply.Failed failed) {
                throw failed.exception();
            }
        }
        spoilt = false;
        if (columns == null) {
            throw Objects.requireNonNull(failure);
        }
        return new Asked(replies.subList(settling, replies.size()), columns);
    }

    /** Ends the transaction, if one is open, and with it the snapshot; the server may take 5 seconds over it. */
    public void endTransaction() throws IOException, ServerException {
        endTransactions(List.of(this));
    }

    /** The same for several, all at once; those that are closed are left out. */
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
            // one that was refused may be used on: its next statement may take longer
            for (int i = 0; i < open.size(); i++) {
                if (!open.get(i).broken()) {
                    open.get(i).readTimeout(before.get(i));
                }
            }
        }
    }

    /**
     * Whether the connection should be given back though it could be used on: others wait for connections, and who holds
     * this one holds more. From then on it is to be closed as soon as may be.
     */
    public boolean askedBack() {
        askedBack = askedBack || pool.askBack(holding);
        return askedBack;
    }

    /** Gives the connection back; never fails, and does nothing the second time. */
    @Override
    public void close() {
        closeAll(List.of(this));
    }

    /** Whether the connection was given back. */
    public boolean closed() {
        return closed.get();
    }

    /**
     * Gives connections of one fan-out back at the same moment, so that another one that waits for several gets them all.
     * Those that were closed before are left out.
     */
    public static void closeAll(List<Lease> leases) {
        List<Lease> open = leases.stream()
                .filter(lease -> lease.closed.compareAndSet(false, true))
                .toList();
        if (open.isEmpty()) {
            return;
        }
        Lease one = open.get(0);
        try {
            open.forEach(lease -> lease.pool.putBack(lease.pooled, !lease.spoilt && lease.clean()));
        } finally {
            int asked = (int) open.stream().filter(lease -> lease.askedBack).count();
            one.pool.giveBack(one.holding, open.size(), asked);
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
}
