package io.fanfold.backend;

import io.fanfold.config.FanOutConfig;
import io.fanfold.row.Row;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Opens consistent snapshots on several connections to one server and proves that they are the same. All workers are sent
 * their statements before any reply is awaited, so one thread suffices. Safe for all threads; the connections are used by
 * the calling thread.
 *
 * <p>MySQL, with gtid_mode=ON: each worker reads gtid_executed, opens its snapshot, then reads gtid_owned, then
 * gtid_executed again. A transaction's GTID is owned before its changes become visible, and goes over into executed after
 * that in one step. So where all executed sets are equal and no GTID was owned, no commit became visible in one snapshot
 * and not in another.
 *
 * <p>MariaDB, with a binary log: binlog_snapshot_file and binlog_snapshot_position name the last commit in a snapshot. The
 * server prepares both in variables that all sessions share, so they are read by one worker at a time, under this object's
 * lock, and twice, since other programs may read them as well. On a server that does not log what it replicates they do
 * not move with replicated commits: there, replication must not run, neither before nor after.
 *
 * <p>Neither proof can see sessions that write with sql_log_bin=0, nor databases that the server keeps out of its binary
 * log (binlog_do_db, binlog_ignore_db): where these change tables that are split, relaxed consistency is what one gets.
 */
public final class SnapshotOpener {
    private static final String ISOLATION = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";
    private static final String START = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY";
    private static final String ROLLBACK = "ROLLBACK AND NO CHAIN NO RELEASE";
    private static final String EXECUTED = "SELECT @@global.gtid_mode, @@global.gtid_executed";
    private static final String OWNED = "SELECT @@global.gtid_owned";

    /** The isolation level holds for the one transaction that follows, whose snapshot counts with no other level. */
    private static final List<String> BEGIN = List.of(ISOLATION, START);

    private static final List<String> MYSQL_ROUND = List.of(EXECUTED, ISOLATION, START, OWNED, EXECUTED);
    private static final String BINLOG_POSITION = "SHOW STATUS LIKE 'binlog_snapshot_%'";
    private static final List<String> REPLICATION =
            List.of("SHOW GLOBAL STATUS LIKE 'Slaves_running'", "SELECT @@global.gtid_slave_pos");

    private final Supplier<Optional<ServerFacts>> facts;
    private final ReentrantLock binlogPositions = new ReentrantLock(true);

    SnapshotOpener(Supplier<Optional<ServerFacts>> facts) {
        this.facts = facts;
    }

    /** What one round showed. */
    private record Round(SnapshotOutcome.Kind kind, String detail) {
        static final Round EQUAL = new Round(SnapshotOutcome.Kind.VERIFIED, "");

        static Round unequal(String detail) {
            return new Round(SnapshotOutcome.Kind.NOT_EQUAL, detail);
        }

        static Round unprovable(String detail) {
            return new Round(SnapshotOutcome.Kind.NOT_PROVABLE, detail);
        }
    }

    /**
     * Opens a snapshot on each worker, again and again until they are proven the same, or rounds or time are used up. At
     * least one round is made.
     *
     * @param workers idle connections to one server, at least one
     * @param config its consistency, rounds and time hold
     * @return whether the workers' transactions may be used; in any case they are to be rolled back by whoever gives the
     *     connections back
     * @throws ServerException when a worker may not open a snapshot
     * @throws IOException when a connection failed
     */
    public SnapshotOutcome open(List<WireConnection> workers, FanOutConfig config)
            throws IOException, ServerException, InterruptedException {
        long start = System.nanoTime();
        if (config.consistency() == FanOutConfig.Consistency.RELAXED) {
            succeeded(everywhere(workers, BEGIN));
            return new SnapshotOutcome(SnapshotOutcome.Kind.RELAXED, 1, System.nanoTime() - start, "");
        }
        Optional<ServerFacts> known = facts.get();
        String obstacle = known.map(SnapshotOpener::obstacle).orElse("nothing is known of the server");
        if (known.isEmpty() || !obstacle.isEmpty()) {
            return new SnapshotOutcome(SnapshotOutcome.Kind.NOT_PROVABLE, 0, System.nanoTime() - start, obstacle);
        }
        long deadline = start + config.snapshotTime().toNanos();
        int rounds = 0;
        Round round;
        do {
            rounds++;
            endLast(workers);
            round = known.get().mariaDb()
                    ? mariaDbRound(workers, known.get().logReplicaUpdates(), deadline)
                    : mySqlRound(workers);
        } while (round.kind() == SnapshotOutcome.Kind.NOT_EQUAL
                && rounds < config.snapshotRounds()
                && System.nanoTime() - deadline < 0);
        return new SnapshotOutcome(round.kind(), rounds, System.nanoTime() - start, round.detail());
    }

    /** Why a server cannot prove snapshots equal; "" when it can. */
    private static String obstacle(ServerFacts server) {
        if (!server.logBin()) {
            return "the server has no binary log";
        }
        if (server.galera()) {
            return "the server is a Galera node";
        }
        if (server.mariaDb()) {
            return "";
        }
        // gtid_mode can be changed while the server runs: every round reads it
        return server.logReplicaUpdates() ? "" : "the server does not log what it replicates";
    }

    /** Ends what the last round left. */
    private static void endLast(List<WireConnection> workers) throws IOException, ServerException {
        succeeded(everywhere(
                workers.stream().filter(WireConnection::inTransaction).toList(), List.of(ROLLBACK)));
    }

    private static Round mySqlRound(List<WireConnection> workers) throws IOException, ServerException {
        List<List<Reply>> all = everywhere(workers, MYSQL_ROUND);
        succeeded(all);
        Set<String> executed = new HashSet<>();
        for (List<Reply> replies : all) {
            if (warned(replies.get(2))) {
                return Round.unprovable("the server took no snapshot");
            }
            for (Reply reply : List.of(replies.get(0), replies.get(4))) {
                if (!"ON".equals(value(reply, 0))) {
                    return Round.unprovable("gtid_mode is not ON");
                }
                executed.add(value(reply, 1));
            }
            if (!value(replies.get(3), 0).isEmpty()) {
                return Round.unequal("a transaction was being committed");
            }
        }
        return executed.size() == 1 ? Round.EQUAL : Round.unequal("transactions were committed in between");
    }

    private Round mariaDbRound(List<WireConnection> workers, boolean logsReplication, long deadline)
            throws IOException, ServerException, InterruptedException {
        String replicated = logsReplication ? "" : replication(workers.get(0));
        succeeded(everywhere(workers, BEGIN));
        Set<String> positions = new HashSet<>();
        if (!binlogPositions.tryLock(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
            return Round.unequal("other queries were reading binlog positions");
        }
        try {
            for (WireConnection worker : workers) {
                List<Reply> replies = everywhere(List.of(worker), List.of(BINLOG_POSITION, BINLOG_POSITION))
                        .get(0);
                succeeded(List.of(replies));
                for (Reply reply : replies) {
                    positions.add(rows(reply).toString());
                }
            }
        } finally {
            binlogPositions.unlock();
        }
        if (positions.size() > 1) {
            return Round.unequal("transactions were committed in between");
        }
        if (!positions.iterator().next().matches("(?i).*binlog_snapshot_file\\|[^,\\]]+.*")) {
            return Round.unprovable("the server names no binlog position of a snapshot");
        }
        if (!logsReplication && !(replicated.startsWith("0;") && replicated.equals(replication(workers.get(0))))) {
            return Round.unprovable("the server replicates and does not log what it replicates");
        }
        return Round.EQUAL;
    }

    /** The number of running replication threads and the position they reached, in one text. */
    private static String replication(WireConnection worker) throws IOException, ServerException {
        List<Reply> replies = everywhere(List.of(worker), REPLICATION).get(0);
        succeeded(List.of(replies));
        return value(replies.get(0), 1) + ";" + value(replies.get(1), 0);
    }

    /** Sends all statements to all workers, then reads all replies: one list for each worker, in order. */
    private static List<List<Reply>> everywhere(List<WireConnection> workers, List<String> statements)
            throws IOException {
        for (WireConnection worker : workers) {
            worker.sendTexts(statements);
        }
        List<List<Reply>> all = new ArrayList<>();
        for (WireConnection worker : workers) {
            all.add(worker.receive(statements.size()));
        }
        return all;
    }

    private static void succeeded(List<List<Reply>> all) throws ServerException {
        for (List<Reply> replies : all) {
            for (Reply reply : replies) {
                if (reply instanceof Reply.Failed failed) {
                    throw failed.exception();
                }
            }
        }
    }

    private static boolean warned(Reply reply) {
        return reply instanceof Reply.Ok ok && ok.warnings() > 0;
    }

    private static List<Row> rows(Reply reply) {
        return reply instanceof Reply.Result result ? result.rows() : List.of();
    }

    /** A value of the only row; "" when there is none. */
    private static String value(Reply reply, int column) {
        List<Row> rows = rows(reply);
        String value = rows.isEmpty() || rows.get(0).columns() <= column
                ? null
                : rows.get(0).ascii(column);
        return value == null ? "" : value;
    }
}
