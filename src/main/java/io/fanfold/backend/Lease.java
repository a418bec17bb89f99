package io.fanfold.backend;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The right to use one worker connection until {@link #close}. A connection whose replies were all read is rolled back if
 * a transaction is open, and goes back to the pool; any other is closed. Kill what may still run, and let the kill
 * return, before closing: a kill that comes later would hit the next borrower. For one thread at a time.
 */
public final class Lease implements AutoCloseable {
    private static final Duration ROLLBACK_TIMEOUT = Duration.ofSeconds(5);

    private final WorkerPool pool;
    private final Connection pooled;
    private final WorkerConnection worker;
    private final AtomicBoolean closed = new AtomicBoolean();
    private boolean spoilt;

    Lease(WorkerPool pool, Connection pooled) throws SQLException {
        this.pool = pool;
        this.pooled = pooled;
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

    /** Gives the connection back; never fails, and does nothing the second time. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            pool.giveBack(pooled, !spoilt && clean());
        }
    }

    private boolean clean() {
        WireConnection wire = worker.wire();
        if (!wire.idle()) {
            return false;
        }
        if (!wire.inTransaction()) {
            return true;
        }
        try {
            Duration before = wire.readTimeout();
            wire.readTimeout(ROLLBACK_TIMEOUT);
            wire.execute("ROLLBACK AND NO CHAIN NO RELEASE");
            wire.readTimeout(before);
            return true;
        } catch (IOException | ServerException e) {
            return false;
        }
    }
}
