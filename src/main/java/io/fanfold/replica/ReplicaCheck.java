package io.fanfold.replica;

import io.fanfold.client.ServerFacts;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Whether a server may answer for its primary: it replicates from the primary directly and without filters, refuses other
 * writes, has none of its own, commits in the primary's order, and has applied what the primary had committed when a
 * statement arrived. Each check is one pipeline on one connection. Immutable.
 *
 * <p>It does not see writes with sql_log_bin=0, neither those of the primary nor those of the replica.
 *
 * @param primary the facts about the primary
 * @param position what the primary had committed
 * @param patience how long the replica may take to apply that, 1 ms or more
 * @param staleness the most seconds that the replica may be behind, as its status shows. With zero, it must have applied
 *     the position
 */
public record ReplicaCheck(ServerFacts primary, PrimaryPosition position, Duration patience, Duration staleness) {
    /** Returns a check of a replica that must have applied the position. */
    public ReplicaCheck(ServerFacts primary, PrimaryPosition position, Duration patience) {
        this(primary, position, patience, Duration.ZERO);
    }

    private boolean mariaDb() {
        return primary.flavor().isMariaDb();
    }

    /**
     * Compares what is known without asking.
     *
     * @param replica the facts about the other server
     * @return why it may not answer for the primary, as a clause; empty if nothing is known against it
     */
    public Optional<String> difference(ServerFacts replica) {
        if (!primary.logBin() || position.gtids().isEmpty()) {
            return Optional.of("the primary logs no transactions with GTIDs");
        }
        if (!replica.logBin()) {
            // only the log would show transactions of its own
            return Optional.of("log_bin is OFF");
        }
        return primary.fixed().entrySet().stream()
                .filter(variable -> !variable.getValue().equals(replica.fixed().get(variable.getKey())))
                .sorted(Map.Entry.comparingByKey())
                .map(variable -> variable.getKey() + " is " + replica.fixed().get(variable.getKey())
                        + ", and on the primary " + variable.getValue())
                .findFirst();
    }

    /**
     * The statements of the check. They need the privilege to see the state of replication: REPLICATION CLIENT on MySQL,
     * REPLICA MONITOR on MariaDB.
     */
    public List<String> statements() {
        List<String> statements = new ArrayList<>();
        statements.add(staleness.isZero() ? wait(position.gtids(), primary.flavor(), patience) : "SELECT 0");
        statements.addAll(state());
        return statements;
    }

    /**
     * The statements of the check without the wait. They are also sent once snapshots are open, because the server may have
     * become a server of its own and written after the first check.
     */
    public List<String> state() {
        return mariaDb()
                ? List.of(
                        "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'gtid_binlog_state',"
                                + " 'slave_parallel_threads', 'slave_skip_errors', 'replicate_events_marked_for_skip')",
                        "SHOW ALL SLAVES STATUS")
                : List.of(
                        "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('super_read_only', 'replica_parallel_workers',"
                                + " 'replica_preserve_commit_order', 'slave_parallel_workers',"
                                + " 'slave_preserve_commit_order', 'replica_skip_errors', 'slave_skip_errors')",
                        "SHOW REPLICA STATUS",
                        "SELECT GTID_SUBTRACT(@@global.gtid_executed, '" + position.gtids() + "')");
    }

    /**
     * Returns the query that waits until a server has applied transactions. Its result is 0 when it has.
     *
     * @param gtids the transactions, as {@link PrimaryPosition#gtids}
     */
    public static String wait(String gtids, ServerFlavor flavor, Duration patience) {
        String seconds = String.format(Locale.ROOT, "%.3f", patience.toMillis() / 1e3);
        return "SELECT " + (flavor.isMariaDb() ? "MASTER_GTID_WAIT" : "WAIT_FOR_EXECUTED_GTID_SET") + "('" + gtids
                + "', " + seconds + ")";
    }

    /**
     * Judges the replies to {@link #statements}.
     *
     * @return why the server may not answer for the primary, as a clause; empty if it may
     */
    public Optional<String> obstacle(List<Reply> replies) {
        return stateObstacle(replies.subList(1, replies.size()))
                .or(() -> failure(replies.get(0)))
                .or(() -> staleness.isZero() ? late(first(replies.get(0))) : stale(status(replies.get(2))));
    }

    /** Judges the replies to {@link #state}, as {@link #obstacle} does. */
    public Optional<String> stateObstacle(List<Reply> replies) {
        Optional<String> failure =
                replies.stream().flatMap(reply -> failure(reply).stream()).findFirst();
        if (failure.isPresent()) {
            return failure;
        }
        Map<String, String> variables = new HashMap<>();
        for (Row row : rows(replies.get(0))) {
            variables.put(String.valueOf(row.utf8(0)).toLowerCase(Locale.ROOT), String.valueOf(row.utf8(1)));
        }
        int sources = rows(replies.get(1)).size();
        if (sources != 1) {
            return Optional.of("it replicates from " + sources + " servers");
        }
        return source(status(replies.get(1)))
                .or(() -> writable(variables))
                .or(() -> skips(variables))
                .or(() -> order(variables))
                .or(() -> own(
                        mariaDb()
                                ? variables.getOrDefault("gtid_binlog_state", "")
                                : first(replies.get(2)).replace("\n", "").replace(" ", "")));
    }

    private static Optional<String> failure(Reply reply) {
        if (reply instanceof Reply.Result) {
            return Optional.empty();
        }
        return Optional.of(
                reply instanceof Reply.Failed failed
                        ? failed.errno() + ": " + failed.message()
                        : "it does not answer what it was asked");
    }

    private static List<Row> rows(Reply reply) {
        return reply instanceof Reply.Result result ? result.rows() : List.of();
    }

    private static String first(Reply reply) {
        return rows(reply).isEmpty() ? "" : String.valueOf(rows(reply).get(0).utf8(0));
    }

    /** Returns the columns of the one row, by their names in lower case; "" for NULL. */
    private static Map<String, String> status(Reply reply) {
        Map<String, String> values = new LinkedHashMap<>();
        if (!(reply instanceof Reply.Result result) || result.rows().isEmpty()) {
            return values;
        }
        Row row = result.rows().get(0);
        for (int i = 0; i < result.columns().size(); i++) {
            String value = row.utf8(i);
            values.put(result.columns().get(i).name().toLowerCase(Locale.ROOT), value == null ? "" : value);
        }
        return values;
    }

    /** It replicates from the primary, and all of it. */
    private Optional<String> source(Map<String, String> values) {
        String source = mariaDb() ? "master_server_id" : "source_uuid";
        if (!position.server().equals(values.get(source))) {
            return Optional.of("it replicates from another server (" + source + " is " + values.get(source) + ")");
        }
        // a primary whose log was reset no longer sends what its replica asks for
        String receives = mariaDb() ? "slave_io_running" : "replica_io_running";
        if (!"Yes".equals(values.get(receives))) {
            return Optional.of(
                    "it does not receive the primary's log (" + receives + " is " + values.get(receives) + ")");
        }
        return values.entrySet().stream()
                .filter(value -> value.getKey().startsWith("replicate_")
                        && !value.getValue().isEmpty())
                .findFirst()
                .map(filter -> "it replicates with a filter (" + filter.getKey() + " is " + filter.getValue() + ")");
    }

    /** It applies all that it receives. */
    private Optional<String> skips(Map<String, String> variables) {
        for (String name : List.of("replica_skip_errors", "slave_skip_errors")) {
            String skipped = variables.getOrDefault(name, "OFF");
            if (!skipped.equals("OFF") && !skipped.isEmpty()) {
                return Optional.of(name + " is " + skipped);
            }
        }
        String marked = variables.getOrDefault("replicate_events_marked_for_skip", "REPLICATE");
        return marked.equals("REPLICATE")
                ? Optional.empty()
                : Optional.of("replicate_events_marked_for_skip is " + marked);
    }

    private Optional<String> writable(Map<String, String> variables) {
        String name = mariaDb() ? "read_only" : "super_read_only";
        String value = variables.getOrDefault(name, "OFF");
        // MariaDB 12 has more values than ON
        return value.equals("OFF") || value.equals("0") ? Optional.of(name + " is OFF") : Optional.empty();
    }

    /** Transactions in another order would show states that the primary never had. */
    private Optional<String> order(Map<String, String> variables) {
        if (mariaDb()) {
            boolean parallel =
                    !variables.getOrDefault("slave_parallel_threads", "0").equals("0");
            return parallel && position.gtids().indexOf(',') >= 0
                    ? Optional.of("it applies several replication domains in parallel, in any order")
                    : Optional.empty();
        }
        for (String prefix : List.of("replica", "slave")) {
            String workers = variables.get(prefix + "_parallel_workers");
            if (workers != null) {
                boolean parallel = !workers.equals("0") && !workers.equals("1");
                String name = prefix + "_preserve_commit_order";
                return parallel && !variables.getOrDefault(name, "OFF").equals("ON")
                        ? Optional.of(name + " is OFF")
                        : Optional.empty();
            }
        }
        return Optional.of("it does not show how it applies transactions");
    }

    /** Newer transactions may only come from the primary. */
    private Optional<String> own(String gtids) {
        if (gtids.isEmpty()) {
            return Optional.empty();
        }
        for (String each : gtids.split(",", -1)) {
            if (mariaDb() ? !isPrimarys(each) : !each.startsWith(position.server() + ":")) {
                return Optional.of("it has transactions that the primary does not have (" + each + ")");
            }
        }
        return Optional.empty();
    }

    /** Whether a GTID of MariaDB, {@code domain-server-number}, is in the primary's log or comes from the primary. */
    private boolean isPrimarys(String gtid) {
        String[] parts = gtid.split("-", -1);
        if (parts.length != 3) {
            return false;
        }
        if (parts[1].equals(position.server())) {
            return true;
        }
        for (String logged : position.logged().split(",", -1)) {
            String[] known = logged.split("-", -1);
            if (known.length == 3 && known[0].equals(parts[0]) && known[1].equals(parts[1])) {
                return Long.compareUnsigned(Long.parseUnsignedLong(parts[2]), Long.parseUnsignedLong(known[2])) <= 0;
            }
        }
        return false;
    }

    private Optional<String> late(String waited) {
        return waited.equals("0")
                ? Optional.empty()
                : Optional.of("it did not apply what the primary had committed within " + patience.toMillis() + " ms");
    }

    private Optional<String> stale(Map<String, String> status) {
        String name = mariaDb() ? "seconds_behind_master" : "seconds_behind_source";
        String seconds = status.getOrDefault(name, "");
        if (seconds.isEmpty()) {
            return Optional.of("its status has no delay (" + name + " is NULL)");
        }
        return Long.parseLong(seconds) <= staleness.toSeconds()
                ? Optional.empty()
                : Optional.of("its delay is too long (" + name + " is " + seconds + ")");
    }
}
