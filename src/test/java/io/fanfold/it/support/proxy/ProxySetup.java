package io.fanfold.it.support.proxy;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanOutConfig.Approximate;
import io.fanfold.config.FilterConfig;
import io.fanfold.config.LimitsConfig;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.config.Secret;
import io.fanfold.config.SnapshotConfig;
import io.fanfold.config.SnapshotConfig.Consistency;
import io.fanfold.config.SnapshotConfig.TableLocks;
import io.fanfold.config.TablesConfig;
import io.fanfold.config.TransactionConfig;
import io.fanfold.config.WorkersConfig;
import java.time.Duration;

/**
 * The setup of a test's proxy. Immutable.
 *
 * @param workers worker connections; an account other than {@link ProxiedServer#WORKER} has the rights that the test
 *      grants
 * @param clientPort the loopback port that clients' server connections use, for example of a {@link FaultProxy}; 0 for
 *      the server itself
 * @param workerPort the same for worker connections
 * @param silence how long a server may be silent before the proxy checks whether a worker's statement still runs
 * @param tls encryption
 * @param tables settings of certain tables
 */
public record ProxySetup(
        FanOutConfig fanOut,
        LimitsConfig limits,
        WorkersConfig workers,
        int clientPort,
        int workerPort,
        Duration silence,
        Tls tls,
        TablesConfig tables) {

    /** Encryption towards clients and the server, and the compression of server connections. */
    public record Tls(ListenerTlsConfig clients, BackendTlsConfig server, BackendConfig.ServerCompression compression) {
        public static final Tls NONE = new Tls(
                ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.DISABLED),
                BackendTlsConfig.of(BackendTlsConfig.BackendTlsMode.DISABLED));

        public Tls(ListenerTlsConfig clients, BackendTlsConfig server) {
            this(clients, server, BackendConfig.ServerCompression.AS_CLIENT);
        }

        public Tls with(BackendConfig.ServerCompression other) {
            return new Tls(clients, server, other);
        }
    }

    /** The cost gate is open, and there is enough time to prove snapshots equal. */
    public static ProxySetup ofDegree(int degree) {
        FanOutConfig fanOut = new FanOutConfig(
                true,
                degree,
                0,
                new SnapshotConfig(
                        Consistency.STRICT, 1000, Duration.ofSeconds(2), TableLocks.REFUSE, Duration.ofSeconds(2)),
                true,
                Approximate.REFUSE,
                FilterConfig.defaults(),
                TransactionConfig.defaults(),
                Duration.ofMinutes(10));
        WorkersConfig workers = new WorkersConfig(
                ProxiedServer.WORKER,
                new Secret(ProxiedServer.WORKER_PASSWORD),
                16,
                16,
                100,
                Duration.ofSeconds(5),
                Duration.ofMinutes(10),
                Duration.ofMinutes(30));
        return new ProxySetup(
                fanOut,
                LimitsConfig.defaults(),
                workers,
                0,
                0,
                Duration.ofSeconds(10),
                Tls.NONE,
                TablesConfig.defaults());
    }

    public ProxySetup with(FanOutConfig other) {
        return new ProxySetup(other, limits, workers, clientPort, workerPort, silence, tls, tables);
    }

    public ProxySetup with(TablesConfig other) {
        return new ProxySetup(fanOut, limits, workers, clientPort, workerPort, silence, tls, other);
    }

    public ProxySetup with(Tls encryption) {
        return new ProxySetup(fanOut, limits, workers, clientPort, workerPort, silence, encryption, tables);
    }

    public ProxySetup relaxed() {
        return with(fanOut.with(new SnapshotConfig(
                Consistency.RELAXED, 1, Duration.ofSeconds(2), TableLocks.REFUSE, Duration.ofSeconds(2))));
    }

    /** Tries to open equal snapshots without a time limit, except for limits of the statement itself. */
    public ProxySetup patient(long minRows) {
        return with(fanOut.withMinRows(minRows)
                .with(new SnapshotConfig(
                        Consistency.STRICT,
                        Integer.MAX_VALUE,
                        Duration.ofHours(1),
                        TableLocks.REFUSE,
                        Duration.ofSeconds(2))));
    }

    /** Allows table locks if snapshots cannot be proven equal. */
    public ProxySetup locking() {
        return locking(fanOut.snapshots().lockWait());
    }

    /** Like {@link #locking()}, with a limit for lock waits. */
    public ProxySetup locking(Duration lockWait) {
        SnapshotConfig snapshots = fanOut.snapshots();
        return with(fanOut.with(new SnapshotConfig(
                snapshots.consistency(), snapshots.rounds(), snapshots.time(), TableLocks.ALLOW, lockWait)));
    }

    public ProxySetup plainCountsPass() {
        return with(fanOut.withSplitPlainCount(false));
    }

    public ProxySetup approximate() {
        return with(fanOut.with(Approximate.ALLOW));
    }

    public ProxySetup withoutTransactions() {
        return with(fanOut.with(fanOut.transactions().with(TransactionConfig.Splits.OFF)));
    }

    /** Limits how long a transaction's snapshots stay open between two statements. */
    public ProxySetup withTransactionIdle(Duration idle) {
        return with(fanOut.with(fanOut.transactions().with(idle)));
    }

    public ProxySetup withoutFilters() {
        return with(fanOut.with(fanOut.filters().with(FilterConfig.Dynamic.OFF)));
    }

    public ProxySetup withCatalogRefresh(Duration pause) {
        return with(fanOut.withCatalogRefresh(pause));
    }

    public ProxySetup withQueryMemory(long bytes) {
        return with(new LimitsConfig(
                limits.statementBytes(),
                bytes,
                limits.totalMemoryBytes(),
                limits.heldAnswerBytes(),
                limits.finalQueryRows(),
                limits.connections(),
                limits.slowClient(),
                limits.handshakeTimeout(),
                limits.drainTime()));
    }

    /** Sets the number of bytes buffered before an answer begins. */
    public ProxySetup withHeldAnswer(long bytes) {
        return with(new LimitsConfig(
                limits.statementBytes(),
                limits.queryMemoryBytes(),
                limits.totalMemoryBytes(),
                bytes,
                limits.finalQueryRows(),
                limits.connections(),
                limits.slowClient(),
                limits.handshakeTimeout(),
                limits.drainTime()));
    }

    public ProxySetup withFinishRows(int rows) {
        return with(new LimitsConfig(
                limits.statementBytes(),
                limits.queryMemoryBytes(),
                limits.totalMemoryBytes(),
                limits.heldAnswerBytes(),
                rows,
                limits.connections(),
                limits.slowClient(),
                limits.handshakeTimeout(),
                limits.drainTime()));
    }

    public ProxySetup withSlowClient(Duration patience) {
        return with(new LimitsConfig(
                limits.statementBytes(),
                limits.queryMemoryBytes(),
                limits.totalMemoryBytes(),
                limits.heldAnswerBytes(),
                limits.finalQueryRows(),
                limits.connections(),
                patience,
                limits.handshakeTimeout(),
                limits.drainTime()));
    }

    private ProxySetup with(LimitsConfig other) {
        return new ProxySetup(fanOut, other, workers, clientPort, workerPort, silence, tls, tables);
    }

    public ProxySetup withConnections(int number) {
        return with(workers.with(workers.user(), workers.password(), number));
    }

    /** Limits the connections of each user, the length of the queue, and the wait in it. */
    public ProxySetup withQueue(int connectionsPerUser, int length, Duration wait) {
        return with(new WorkersConfig(
                workers.user(),
                workers.password(),
                workers.connections(),
                connectionsPerUser,
                length,
                wait,
                workers.idleTimeout(),
                workers.maxLifetime()));
    }

    public ProxySetup withWorker(String account) {
        return with(workers.with(account, workers.password(), workers.connections()));
    }

    private ProxySetup with(WorkersConfig other) {
        return new ProxySetup(fanOut, limits, other, clientPort, workerPort, silence, tls, tables);
    }

    public ProxySetup withClientPort(int port) {
        return new ProxySetup(fanOut, limits, workers, port, workerPort, silence, tls, tables);
    }

    public ProxySetup withWorkerPort(int port) {
        return new ProxySetup(fanOut, limits, workers, clientPort, port, silence, tls, tables);
    }

    public ProxySetup withSilence(Duration longest) {
        return new ProxySetup(fanOut, limits, workers, clientPort, workerPort, longest, tls, tables);
    }
}
