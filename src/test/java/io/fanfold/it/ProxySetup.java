package io.fanfold.it;

import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanOutConfig.Approximate;
import io.fanfold.config.LimitsConfig;
import io.fanfold.config.SnapshotConfig;
import io.fanfold.config.SnapshotConfig.Consistency;
import io.fanfold.config.SnapshotConfig.TableLocks;
import java.time.Duration;

/**
 * How a test wants its proxy. Immutable.
 *
 * @param connections worker connections, 2 or more
 * @param worker the worker account; any other than {@link ProxiedServer#WORKER} has the rights that the test gives it
 * @param clientPort loopback port that clients' connections go to, e.g. of a {@link FaultProxy}; 0 for the server itself
 * @param workerPort the same for worker connections
 */
record ProxySetup(
        FanOutConfig fanOut, LimitsConfig limits, int connections, String worker, int clientPort, int workerPort) {

    /** The cost gate is open, and there is time to prove snapshots equal. */
    static ProxySetup ofDegree(int degree) {
        FanOutConfig fanOut = new FanOutConfig(
                true,
                degree,
                0,
                new SnapshotConfig(
                        Consistency.STRICT, 100, Duration.ofSeconds(2), TableLocks.REFUSE, Duration.ofSeconds(2)),
                true,
                Approximate.REFUSE,
                Duration.ofMinutes(10));
        return new ProxySetup(fanOut, LimitsConfig.defaults(), 16, ProxiedServer.WORKER, 0, 0);
    }

    ProxySetup with(FanOutConfig other) {
        return new ProxySetup(other, limits, connections, worker, clientPort, workerPort);
    }

    ProxySetup relaxed() {
        return with(new FanOutConfig(
                true,
                fanOut.degree(),
                0,
                new SnapshotConfig(
                        Consistency.RELAXED, 1, Duration.ofSeconds(2), TableLocks.REFUSE, Duration.ofSeconds(2)),
                true,
                Approximate.REFUSE,
                Duration.ofMinutes(10)));
    }

    /** Tables may be locked where snapshots are not proven to be the same. */
    ProxySetup locking() {
        return with(new FanOutConfig(
                true,
                fanOut.degree(),
                0,
                fanOut.snapshots().with(TableLocks.ALLOW),
                fanOut.splitPlainCount(),
                fanOut.approximate(),
                fanOut.catalogRefresh()));
    }

    ProxySetup plainCountsPass() {
        return with(new FanOutConfig(
                true, fanOut.degree(), 0, fanOut.snapshots(), false, fanOut.approximate(), fanOut.catalogRefresh()));
    }

    ProxySetup approximate() {
        return with(new FanOutConfig(
                true,
                fanOut.degree(),
                0,
                fanOut.snapshots(),
                fanOut.splitPlainCount(),
                Approximate.ALLOW,
                fanOut.catalogRefresh()));
    }

    ProxySetup withCatalogRefresh(Duration pause) {
        return with(new FanOutConfig(
                true, fanOut.degree(), 0, fanOut.snapshots(), fanOut.splitPlainCount(), fanOut.approximate(), pause));
    }

    ProxySetup withQueryMemory(long bytes) {
        return with(new LimitsConfig(
                limits.statementBytes(),
                bytes,
                limits.totalMemoryBytes(),
                limits.heldAnswerBytes(),
                limits.finishRows(),
                limits.connections(),
                limits.slowClient(),
                limits.handshakeTimeout()));
    }

    /** So many bytes are held before an answer begins. */
    ProxySetup withHeldAnswer(long bytes) {
        return with(new LimitsConfig(
                limits.statementBytes(),
                limits.queryMemoryBytes(),
                limits.totalMemoryBytes(),
                bytes,
                limits.finishRows(),
                limits.connections(),
                limits.slowClient(),
                limits.handshakeTimeout()));
    }

    ProxySetup withFinishRows(int rows) {
        return with(new LimitsConfig(
                limits.statementBytes(),
                limits.queryMemoryBytes(),
                limits.totalMemoryBytes(),
                limits.heldAnswerBytes(),
                rows,
                limits.connections(),
                limits.slowClient(),
                limits.handshakeTimeout()));
    }

    ProxySetup withSlowClient(Duration patience) {
        return with(new LimitsConfig(
                limits.statementBytes(),
                limits.queryMemoryBytes(),
                limits.totalMemoryBytes(),
                limits.heldAnswerBytes(),
                limits.finishRows(),
                limits.connections(),
                patience,
                limits.handshakeTimeout()));
    }

    private ProxySetup with(LimitsConfig other) {
        return new ProxySetup(fanOut, other, connections, worker, clientPort, workerPort);
    }

    ProxySetup withConnections(int number) {
        return new ProxySetup(fanOut, limits, number, worker, clientPort, workerPort);
    }

    ProxySetup withWorker(String account) {
        return new ProxySetup(fanOut, limits, connections, account, clientPort, workerPort);
    }

    ProxySetup withClientPort(int port) {
        return new ProxySetup(fanOut, limits, connections, worker, port, workerPort);
    }

    ProxySetup withWorkerPort(int port) {
        return new ProxySetup(fanOut, limits, connections, worker, clientPort, port);
    }
}
