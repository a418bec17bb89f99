package io.fanfold.it.support.proxy;

import io.fanfold.config.AccountsConfig;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanOutConfig.Approximate;
import io.fanfold.config.FanOutConfig.KeyRanges;
import io.fanfold.config.FanOutConfigBuilder;
import io.fanfold.config.FilterConfig;
import io.fanfold.config.LimitsConfig;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.config.ReuseConfig;
import io.fanfold.config.Secret;
import io.fanfold.config.SnapshotConfig;
import io.fanfold.config.SnapshotConfig.Consistency;
import io.fanfold.config.SnapshotConfig.TableLocks;
import io.fanfold.config.TablesConfig;
import io.fanfold.config.TransactionConfig;
import io.fanfold.config.VerifyConfig;
import io.fanfold.config.WorkersConfig;
import io.fanfold.config.WorkersConfigBuilder;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.function.UnaryOperator;

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
 * @param accounts settings of certain accounts
 * @param verify limits of verifications
 */
@RecordBuilder
public record ProxySetup(
        FanOutConfig fanOut,
        LimitsConfig limits,
        WorkersConfig workers,
        int clientPort,
        int workerPort,
        Duration silence,
        Tls tls,
        TablesConfig tables,
        AccountsConfig accounts,
        VerifyConfig verify)
        implements ProxySetupBuilder.With {

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
        SnapshotConfig snapshots = SnapshotConfig.defaults()
                .withTime(Duration.ofSeconds(2))
                .withTableLocks(TableLocks.REFUSE)
                .withLockWait(Duration.ofSeconds(2));
        FanOutConfig fanOut = FanOutConfigBuilder.builder(
                        FanOutConfig.defaults().withDegree(degree))
                .minRows(0)
                .snapshots(snapshots)
                .splitPlainCount(true)
                .keyRanges(KeyRanges.OFF)
                .catalogRefresh(Duration.ofMinutes(10))
                .build();
        WorkersConfig workers = WorkersConfigBuilder.builder(WorkersConfig.defaults())
                .user(ProxiedServer.WORKER)
                .password(new Secret(ProxiedServer.WORKER_PASSWORD))
                .connections(16)
                .connectionsPerUser(16)
                .queueLength(100)
                .queueWait(Duration.ofSeconds(5))
                .build();
        return new ProxySetup(
                fanOut,
                LimitsConfig.defaults(),
                workers,
                0,
                0,
                Duration.ofSeconds(10),
                Tls.NONE,
                TablesConfig.defaults(),
                AccountsConfig.defaults(),
                VerifyConfig.defaults());
    }

    /** Like {@link #ofDegree}, as if Fanfold had found the degree from the cores of the server. */
    public static ProxySetup ofFoundDegree(int degree) {
        ProxySetup setup = ofDegree(degree);
        return setup.withFanOut(
                FanOutConfigBuilder.builder(setup.fanOut).autoDegree(true).build());
    }

    private ProxySetup withSnapshots(UnaryOperator<SnapshotConfig> change) {
        return withFanOut(fanOut.withSnapshots(change.apply(fanOut.snapshots())));
    }

    public ProxySetup relaxed() {
        return withSnapshots(
                snapshots -> snapshots.withConsistency(Consistency.RELAXED).withTableLocks(TableLocks.REFUSE));
    }

    /** Tries to open equal snapshots without a time limit, except for limits of the statement itself. */
    public ProxySetup patient(long minRows) {
        return withFanOut(fanOut.withMinRows(minRows)
                .withSnapshots(fanOut.snapshots()
                        .withConsistency(Consistency.STRICT)
                        .withRounds(Integer.MAX_VALUE)
                        .withTime(Duration.ofHours(1))
                        .withTableLocks(TableLocks.REFUSE)));
    }

    /** Allows table locks if snapshots cannot be proven equal. */
    public ProxySetup locking() {
        return withSnapshots(snapshots -> snapshots.withTableLocks(TableLocks.ALLOW));
    }

    /** Like {@link #locking()}, with a limit for lock waits. */
    public ProxySetup locking(Duration lockWait) {
        return locking().withSnapshots(snapshots -> snapshots.withLockWait(lockWait));
    }

    public ProxySetup plainCountsPass() {
        return withFanOut(fanOut.withSplitPlainCount(false));
    }

    public ProxySetup approximate() {
        return withFanOut(fanOut.withApproximate(Approximate.ALLOW));
    }

    public ProxySetup withoutTransactions() {
        return withFanOut(fanOut.withTransactions(fanOut.transactions().withSplits(TransactionConfig.Splits.OFF)));
    }

    /** Limits how long a transaction's snapshots stay open between two statements. */
    public ProxySetup withTransactionIdle(Duration idle) {
        return withFanOut(fanOut.withTransactions(fanOut.transactions().withIdle(idle)));
    }

    /** Splits tables without partitions, whatever their size, and partitions of unequal size. */
    public ProxySetup keyRanges() {
        return withFanOut(fanOut.withKeyRanges(KeyRanges.ON));
    }

    /** Uses rows of partition queries again, and waits as long as it takes for the binary log. */
    public ProxySetup reuses() {
        return withFanOut(fanOut.withReuse(new ReuseConfig(ReuseConfig.Reuse.ON, Duration.ofSeconds(10))));
    }

    /** Compares all answers with the server's. */
    public ProxySetup verifiesAll() {
        return withFanOut(fanOut.withVerifyShare(1));
    }

    public ProxySetup withoutFilters() {
        return withFanOut(fanOut.withFilters(fanOut.filters().withDynamic(FilterConfig.Dynamic.OFF)));
    }

    public ProxySetup withCatalogRefresh(Duration pause) {
        return withFanOut(fanOut.withCatalogRefresh(pause));
    }

    public ProxySetup withQueryMemory(long bytes) {
        return withLimits(limits.withQueryMemoryBytes(bytes));
    }

    /** Sets the number of bytes buffered before an answer begins. */
    public ProxySetup withHeldAnswer(long bytes) {
        return withLimits(limits.withHeldAnswerBytes(bytes));
    }

    public ProxySetup withFinalQueryRows(int rows) {
        return withLimits(limits.withFinalQueryRows(rows));
    }

    public ProxySetup withSlowClient(Duration patience) {
        return withLimits(limits.withSlowClient(patience));
    }

    public ProxySetup withConnections(int number) {
        return withWorkers(workers.withConnections(number));
    }

    /** Limits the connections of each user, the length of the queue, and the wait in it. */
    public ProxySetup withQueue(int connectionsPerUser, int length, Duration wait) {
        return withWorkers(workers.withConnectionsPerUser(connectionsPerUser)
                .withQueueLength(length)
                .withQueueWait(wait));
    }

    public ProxySetup withWorker(String account) {
        return withWorkers(workers.withUser(account));
    }
}
