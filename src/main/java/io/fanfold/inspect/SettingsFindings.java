package io.fanfold.inspect;

import io.fanfold.catalog.AccountName;
import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.LimitsConfig;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.config.SnapshotConfig.Consistency;
import io.fanfold.config.SnapshotConfig.TableLocks;
import io.fanfold.config.WorkersConfig;
import java.util.ArrayList;
import java.util.List;

/** Findings about the settings alone, without a server: memory, and settings that contradict each other. */
final class SettingsFindings {
    private static final long MIB = 1L << 20;

    private SettingsFindings() {}

    /** Settings that switch every split off. */
    static List<Finding> switchedOff(FanfoldConfig config) {
        List<Finding> findings = new ArrayList<>();
        if (config.offEverywhere()) {
            findings.add(Finding.blocks("fan-out is switched off", List.of("set fan-out.mode: on")));
        }
        if (!config.workers().enabled()) {
            findings.add(Finding.blocks(
                    "no worker account is configured",
                    List.of("CREATE USER 'fanfold'@'%' IDENTIFIED BY '...'; GRANT SELECT, LOCK TABLES ON "
                            + AccountName.SOME_SCHEMA + ".* TO 'fanfold'@'%'; then set workers.user: fanfold"
                            + " and put its password into the environment variable FANFOLD_WORKER_PASSWORD")));
        }
        return findings;
    }

    /** What is wrong with a degree that the settings name. */
    private static List<Finding> degree(FanOutConfig fanOut, WorkersConfig workers) {
        List<Finding> findings = new ArrayList<>();
        if (fanOut.degree() < 2) {
            findings.add(Finding.advice(
                    "fan-out.degree is " + fanOut.degree() + ": partitions are read one after the other",
                    "set fan-out.degree to the number of the server's cores"));
        }
        if (fanOut.degree() > workers.connections()) {
            findings.add(Finding.advice(
                    "fan-out.degree " + fanOut.degree() + " is more than workers.connections " + workers.connections()
                            + ": a statement uses at most " + workers.connections() + " connections",
                    "set workers.connections: " + fanOut.degree(),
                    "set fan-out.degree: " + workers.connections()));
        } else if (fanOut.degree() > workers.connectionsPerUser()) {
            findings.add(Finding.advice(
                    "fan-out.degree " + fanOut.degree() + " is more than workers.connections-per-user "
                            + workers.connectionsPerUser() + ": a statement uses at most "
                            + workers.connectionsPerUser()
                            + " connections",
                    "set workers.connections-per-user: " + fanOut.degree()));
        }
        return findings;
    }

    /** Settings that make another setting useless. */
    static List<Finding> contradictions(FanfoldConfig config) {
        List<Finding> findings = new ArrayList<>();
        FanOutConfig fanOut = config.fanOut();
        WorkersConfig workers = config.workers();
        LimitsConfig limits = config.limits();
        if (!fanOut.autoDegree()) {
            findings.addAll(degree(fanOut, workers));
        }
        if (workers.queueWait().isZero() && workers.queueLength() > 0) {
            findings.add(Finding.advice(
                    "workers.queue-wait is 0: no statement waits for worker connections, and workers.queue-length "
                            + workers.queueLength() + " has no effect",
                    "set workers.queue-wait: 200ms",
                    "set workers.queue-length: 0"));
        }
        if (workers.queueLength() == 0 && !workers.queueWait().isZero()) {
            findings.add(Finding.advice(
                    "workers.queue-length is 0: no statement waits for worker connections, and workers.queue-wait "
                            + workers.queueWait().toMillis() + " ms has no effect",
                    "set workers.queue-length: 64",
                    "set workers.queue-wait: 0ms"));
        }
        if (workers.idleTimeout().compareTo(workers.maxLifetime()) >= 0) {
            findings.add(Finding.advice(
                    "workers.idle-timeout is not shorter than workers.max-lifetime: it has no effect",
                    "set workers.idle-timeout to less than workers.max-lifetime"));
        }
        if (fanOut.snapshots().consistency() == Consistency.RELAXED
                && fanOut.snapshots().tableLocks() == TableLocks.ALLOW) {
            findings.add(Finding.advice(
                    "fan-out.consistency is relaxed: Fanfold proves nothing, and fan-out.table-locks has no effect",
                    "set fan-out.consistency: strict"));
        }
        if (limits.heldAnswerBytes() > limits.queryMemoryBytes()) {
            findings.add(Finding.advice(
                    "limits.held-answer is more than limits.query-memory: a statement reaches limits.query-memory first and is not split",
                    "set limits.held-answer to less than limits.query-memory"));
        }
        if (config.listener().tls().mode() == ListenerTlsConfig.ListenerTlsMode.PASSTHROUGH) {
            findings.add(Finding.advice(
                    "listener.tls.mode is passthrough: Fanfold splits no statement of a client that uses TLS",
                    "set listener.tls.mode: as_server"));
        }
        return findings;
    }

    /** The memory limits. */
    static Finding memory(LimitsConfig limits) {
        return Finding.detail("memory: heap " + Runtime.getRuntime().maxMemory() / MIB
                + " MiB (-Xmx); all splits together may hold " + limits.totalMemoryBytes() / MIB + " MiB, one split "
                + limits.queryMemoryBytes() / MIB + " MiB; at most " + limits.connections() + " clients");
    }
}
