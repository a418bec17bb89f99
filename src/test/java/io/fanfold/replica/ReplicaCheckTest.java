package io.fanfold.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.ServerFacts;
import io.fanfold.client.ServerIdentity;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.row.Row;
import io.fanfold.variables.SessionVariables;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplicaCheckTest {
    private static final String PRIMARY = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
    private static final String OLD = "4f22fa47-71ca-11e1-9e33-c80aa9429562";
    private static final Duration PATIENCE = Duration.ofMillis(50);

    private static final ReplicaCheck MYSQL = new ReplicaCheck(
            facts(ServerFlavor.MYSQL, true, "9.7.0"),
            PrimaryPosition.of(row(PRIMARY + ":1-7,\n" + OLD + ":1-3", PRIMARY, "")),
            PATIENCE);

    private static final ReplicaCheck MARIADB = new ReplicaCheck(
            facts(ServerFlavor.MARIADB, true, "10.11.6"),
            PrimaryPosition.of(row("0-1-70", "1", "0-2-30,0-1-70")),
            PATIENCE);

    private static ServerFacts facts(ServerFlavor flavor, boolean logBin, String version) {
        return new ServerFacts(
                new ServerIdentity(version, flavor, 9, 9, 9),
                "",
                "key",
                0,
                logBin,
                true,
                false,
                false,
                true,
                Map.of("version", version, "system_time_zone", "UTC"),
                true,
                1 << 26,
                SessionVariables.of(List.of()));
    }

    private static Row row(String... values) {
        return Row.ofValues(Stream.of(values)
                .map(value -> value.getBytes(StandardCharsets.UTF_8))
                .toList());
    }

    private static Reply.Result result(List<String> names, Row... rows) {
        return new Reply.Result(
                names.stream()
                        .map(name -> new Column("", "", "", name, "", 45, 80, ColumnType.VAR_STRING, 0, 0))
                        .toList(),
                List.of(rows),
                0,
                0);
    }

    /** A replica that may be read, with other values for some of what it shows. */
    private static List<Reply> replies(boolean mySql, String name, String value) {
        Map<String, String> variables = new LinkedHashMap<>();
        Map<String, String> status = new LinkedHashMap<>();
        if (mySql) {
            variables.putAll(Map.of(
                    "super_read_only", "ON", "replica_parallel_workers", "4", "replica_preserve_commit_order", "ON"));
            status.putAll(Map.of("Source_UUID", PRIMARY, "Replicate_Do_DB", "", "Replica_IO_Running", "Yes"));
            status.put("Seconds_Behind_Source", "0");
        } else {
            variables.putAll(
                    Map.of("read_only", "ON", "gtid_binlog_state", "0-2-30,0-1-71", "slave_parallel_threads", "4"));
            status.putAll(Map.of("Master_Server_Id", "1", "Replicate_Do_DB", "", "Slave_IO_Running", "Yes"));
            status.put("Seconds_Behind_Master", "0");
        }
        String waited = "0";
        String newer = PRIMARY + ":8-9";
        if (name.equals("waited")) {
            waited = value;
        } else if (name.equals("newer")) {
            newer = value;
        } else if (status.containsKey(name)) {
            status.put(name, value);
        } else {
            variables.put(name, value);
        }
        List<Reply> replies = new ArrayList<>();
        replies.add(result(List.of("waited"), row(waited)));
        replies.add(result(
                List.of("Variable_name", "Value"),
                variables.entrySet().stream()
                        .map(each -> row(each.getKey(), each.getValue()))
                        .toArray(Row[]::new)));
        replies.add(result(List.copyOf(status.keySet()), row(status.values().toArray(String[]::new))));
        if (mySql) {
            replies.add(result(List.of("newer"), row(newer)));
        }
        return replies;
    }

    @Test
    void aReplicaWithAllCommitsMayBeRead() {
        assertThat(MYSQL.obstacle(replies(true, "waited", "0"))).isEmpty();
        assertThat(MARIADB.obstacle(replies(false, "waited", "0"))).isEmpty();
    }

    @Test
    void aReplicaMayBeBehindIfTheSettingsAllowIt() {
        ReplicaCheck mySql = stale(MYSQL);
        ReplicaCheck mariaDb = stale(MARIADB);
        assertThat(mySql.statements()).noneMatch(statement -> statement.contains("WAIT"));
        assertThat(mariaDb.statements()).noneMatch(statement -> statement.contains("WAIT"));
        assertThat(mySql.obstacle(replies(true, "Seconds_Behind_Source", "10"))).isEmpty();
        assertThat(mariaDb.obstacle(replies(false, "Seconds_Behind_Master", "10")))
                .isEmpty();
        assertThat(mySql.obstacle(replies(true, "Seconds_Behind_Source", "11")))
                .contains("its delay is too long (seconds_behind_source is 11)");
        assertThat(mariaDb.obstacle(replies(false, "Seconds_Behind_Master", "")))
                .contains("its status has no delay (seconds_behind_master is NULL)");
        assertThat(mySql.obstacle(replies(true, "Replica_IO_Running", "No"))).isPresent();
    }

    @Test
    void theStateIsCheckedAgainWithoutAWait() {
        for (ReplicaCheck check : List.of(MYSQL, MARIADB, stale(MYSQL))) {
            List<String> all = check.statements();
            assertThat(check.state()).isEqualTo(all.subList(1, all.size()));
        }
        assertThat(MYSQL.stateObstacle(withoutWait(replies(true, "waited", "1"))))
                .isEmpty();
        assertThat(MYSQL.stateObstacle(withoutWait(replies(true, "newer", "5a33:1"))))
                .contains("it has transactions that the primary does not have (5a33:1)");
        assertThat(MARIADB.stateObstacle(withoutWait(replies(false, "gtid_binlog_state", "0-1-71,0-9-1"))))
                .contains("it has transactions that the primary does not have (0-9-1)");
    }

    private static List<Reply> withoutWait(List<Reply> replies) {
        return replies.subList(1, replies.size());
    }

    private static ReplicaCheck stale(ReplicaCheck check) {
        return new ReplicaCheck(check.primary(), check.position(), PATIENCE, Duration.ofSeconds(10));
    }

    @Test
    void aServerOfAnotherVersionIsNoReplica() {
        assertThat(MYSQL.difference(facts(ServerFlavor.MYSQL, true, "9.7.0"))).isEmpty();
        assertThat(MYSQL.difference(facts(ServerFlavor.MYSQL, false, "9.7.0"))).contains("log_bin is OFF");
        assertThat(MYSQL.difference(facts(ServerFlavor.MYSQL, true, "9.7.1")))
                .contains("version is 9.7.1, and on the primary 9.7.0");
    }

    @Test
    void aPrimaryWithoutALogHasNoReplicas() {
        ServerFacts unlogged = facts(ServerFlavor.MYSQL, false, "9.7.0");
        ReplicaCheck check = new ReplicaCheck(unlogged, MYSQL.position(), PATIENCE);
        assertThat(check.difference(unlogged)).contains("the primary logs no transactions with GTIDs");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', textBlock = """
                    waited, 1, did not apply
                    super_read_only, OFF, super_read_only is OFF
                    replica_preserve_commit_order, OFF, replica_preserve_commit_order is OFF
                    Source_UUID, 4f22fa47-71ca-11e1-9e33-c80aa9429562, from another server
                    Replicate_Do_DB, shop, with a filter
                    Replica_IO_Running, Connecting, does not receive
                    replica_skip_errors, 1062, replica_skip_errors is 1062
                    newer, "3e11fa47-71ca-11e1-9e33-c80aa9429562:8-9,\n5a33:1", the primary does not have (5a33:1)
                    """)
    void obstaclesOfMySql(String name, String value, String expected) {
        assertThat(MYSQL.obstacle(replies(true, name, value)).orElse("")).contains(expected);
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', textBlock = """
                    waited, -1, did not apply
                    read_only, OFF, read_only is OFF
                    Master_Server_Id, 2, from another server
                    Replicate_Do_DB, shop, with a filter
                    Slave_IO_Running, No, does not receive
                    slave_skip_errors, all, slave_skip_errors is all
                    replicate_events_marked_for_skip, FILTER_ON_SLAVE, replicate_events_marked_for_skip is FILTER_ON_SLAVE
                    gtid_binlog_state, "0-1-71,0-2-31", the primary does not have (0-2-31)
                    gtid_binlog_state, "0-1-71,0-9-1", the primary does not have (0-9-1)
                    """)
    void obstaclesOfMariaDb(String name, String value, String expected) {
        assertThat(MARIADB.obstacle(replies(false, name, value)).orElse("")).contains(expected);
    }

    @Test
    void oneApplierKeepsTheOrder() {
        List<Reply> replies = replies(true, "replica_preserve_commit_order", "OFF");
        Reply.Result variables = (Reply.Result) replies.get(1);
        replies.set(
                1,
                result(
                        List.of("Variable_name", "Value"),
                        variables.rows().stream()
                                .map(row -> "replica_parallel_workers".equals(row.utf8(0))
                                        ? row("replica_parallel_workers", "1")
                                        : row)
                                .toArray(Row[]::new)));
        assertThat(MYSQL.obstacle(replies)).isEmpty();
    }

    @Test
    void severalDomainsInParallelHaveNoOrder() {
        ReplicaCheck domains = new ReplicaCheck(
                facts(ServerFlavor.MARIADB, true, "10.11.6"),
                new PrimaryPosition("0-1-70,7-1-2", "1", "0-1-70,7-1-2"),
                PATIENCE);
        List<Reply> replies = replies(false, "gtid_binlog_state", "0-1-70,7-1-2");
        assertThat(domains.obstacle(replies))
                .contains("it applies several replication domains in parallel, in any order");
    }

    @Test
    void aServerThatDoesNotReplicateIsNoReplica() {
        List<Reply> replies = replies(true, "waited", "0");
        replies.set(2, result(List.of("Source_UUID")));
        assertThat(MYSQL.obstacle(replies)).contains("it replicates from 0 servers");
    }

    @Test
    void anErrorIsAnObstacle() {
        List<Reply> replies = replies(true, "waited", "0");
        replies.set(2, new Reply.Failed(1227, "42000", "Access denied; you need REPLICATION CLIENT"));
        assertThat(MYSQL.obstacle(replies)).isEqualTo(Optional.of("1227: Access denied; you need REPLICATION CLIENT"));
    }
}
