package io.fanfold.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.client.ScriptedServer;
import io.fanfold.client.ServerException;
import io.fanfold.config.SnapshotConfig;
import io.fanfold.config.SnapshotConfig.Consistency;
import io.fanfold.config.SnapshotConfig.TableLocks;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The proofs for replicas: their queries, and each reason for a refusal. */
class ReplicaProofTest {
    private static final String MYSQL = "9.7.0";
    private static final String MARIADB = "5.5.5-10.11.19-MariaDB-log";
    private static final Duration AMPLE = Duration.ofMinutes(5);

    private static final String IN_INNODB = "AND ENGINE = 'InnoDB'";
    private static final String SUPER_READ_ONLY = "super_read_only";
    private static final String CHANNELS = "FROM mysql.slave_relay_log_info";
    private static final String WORKERS = "FROM mysql.slave_worker_info";
    private static final String XA = "Com_xa_start";
    private static final String GTIDS = "gtid_executed";

    private static final String TABLES = "LEFT(TABLE_NAME";
    private static final String OTHER_ENGINES = "gtid_pos_auto_engines";
    private static final String CONNECTIONS = "SHOW ALL SLAVES STATUS";
    private static final String READ_ONLY = "@@global.read_only";
    private static final String POSITIONS = "FROM mysql.gtid_slave_pos";
    private static final String COUNTERS = "Rpl_transactions_multi_engine";
    private static final String RUNNING = "Slaves_running";
    private static final String LOG = "binlog_snapshot_%";

    /** Answers to statements that contain a text, by the number of the call. */
    private static final class Answers {
        private final Map<String, IntFunction<List<List<String>>>> byText = new LinkedHashMap<>();
        private final Map<String, AtomicInteger> asked = new ConcurrentHashMap<>();

        Answers with(String text, IntFunction<List<List<String>>> rows) {
            byText.put(text, rows);
            return this;
        }

        Answers with(String text, List<List<String>> rows) {
            return with(text, n -> rows);
        }

        List<List<String>> to(String sql) {
            for (Map.Entry<String, IntFunction<List<List<String>>>> entry : byText.entrySet()) {
                if (sql.contains(entry.getKey())) {
                    return entry.getValue()
                            .apply(asked.computeIfAbsent(entry.getKey(), text -> new AtomicInteger())
                                    .getAndIncrement());
                }
            }
            return List.of();
        }
    }

    private static List<List<String>> one(String... values) {
        return List.of(List.of(values));
    }

    private static SnapshotConfig rounds(int rounds) {
        return new SnapshotConfig(Consistency.STRICT, rounds, AMPLE, TableLocks.REFUSE, AMPLE);
    }

    private static Answers mySql() {
        return new Answers()
                .with(IN_INNODB, one("2"))
                .with(SUPER_READ_ONLY, one("1"))
                .with(CHANNELS, channel("", "0", "700"))
                .with(WORKERS, List.of(List.of("", "1", "relay.2", "4", "binlog.1", "700")))
                .with(XA, List.of(List.of("Com_xa_commit", "0"), List.of("Com_xa_start", "0")))
                .with(GTIDS, one("ON", "uuid:1-5"))
                .with("gtid_owned", one(""));
    }

    private static List<List<String>> channel(String name, String rowFormat, String position) {
        return one(name, rowFormat, "relay.2", "4", "binlog.1", position);
    }

    private static ScriptedServer mySql(Answers answers, String... variables) {
        Map<String, String> known = new HashMap<>(Map.of("log_bin", "ON", "super_read_only", "ON"));
        for (int i = 0; i < variables.length; i += 2) {
            known.put(variables[i], variables[i + 1]);
        }
        return new ScriptedServer(MYSQL, known, answers::to);
    }

    @ParameterizedTest
    @CsvSource({"log_bin, OFF", "log_replica_updates, OFF"})
    void aMySqlReplicaIsVerifiedByRowsInsideTheSnapshots(String name, String value) throws Exception {
        SnapshotAttempt attempt = SnapshotAttempt.of(mySql(mySql(), name, value), rounds(10));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
        assertThat(attempt.outcome().rounds()).isEqualTo(1);
        for (int worker = 2; worker <= 3; worker++) {
            String own = worker + ": ";
            assertThat(attempt.log().stream().filter(line -> line.startsWith(own)))
                    .containsExactly(
                            own + "SELECT @@global.super_read_only",
                            own + "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
                            own + "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
                            own + "SELECT Channel_name, Require_row_format, Relay_log_name, Relay_log_pos,"
                                    + " Master_log_name, Master_log_pos FROM mysql.slave_relay_log_info"
                                    + " ORDER BY Channel_name",
                            own + "SELECT Channel_name, Id, Relay_log_name, Relay_log_pos, Master_log_name,"
                                    + " Master_log_pos FROM mysql.slave_worker_info ORDER BY Channel_name, Id",
                            own + "SELECT @@global.super_read_only");
        }
        assertThat(attempt.log()).noneMatch(line -> line.contains(GTIDS));
        assertThat(attempt.log().stream().filter(line -> line.startsWith("1: ")).toList())
                .last()
                .asString()
                .startsWith("1: SHOW GLOBAL STATUS");
        requirePinned(attempt);
    }

    /**
     * The rows do not show DDL. So a connection locks the tables from before the first snapshot until the first worker
     * has read them.
     */
    private static void requirePinned(SnapshotAttempt attempt) {
        List<String> log = attempt.log();
        int pinned = log.indexOf("4: SELECT 1 FROM `o``d`.`u` LIMIT 0");
        int touched = log.indexOf("1: SELECT 1 FROM `o``d`.`u` LIMIT 0");
        assertThat(pinned).isPositive();
        assertThat(log.subList(0, pinned))
                .contains("4: START TRANSACTION READ ONLY", "4: SELECT 1 FROM `db`.`t` LIMIT 0")
                .noneMatch(line -> line.contains("CONSISTENT SNAPSHOT"));
        assertThat(log.indexOf("4: ROLLBACK AND NO CHAIN NO RELEASE")).isGreaterThan(touched);
        assertThat(touched).isGreaterThan(pinned);
    }

    /** In the first round the last worker sees one more transaction: of a thread, or of a channel without threads. */
    @ParameterizedTest
    @CsvSource({WORKERS, CHANNELS})
    void aMySqlReplicaTriesAgainWhenRowsDiffer(String rows) throws Exception {
        Answers answers = mySql().with(rows, n -> channel("", "0", n == 2 ? "900" : "700"));
        SnapshotAttempt attempt = SnapshotAttempt.of(mySql(answers), rounds(10));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
        assertThat(attempt.outcome().rounds()).isEqualTo(2);
    }

    @Test
    void aMySqlReplicaWhoseGtidsDifferEveryTimeIsNotAskedForRows() throws Exception {
        Answers answers = mySql().with(GTIDS, n -> one("ON", "uuid:1-" + n));
        SnapshotAttempt attempt = SnapshotAttempt.of(mySql(answers, "log_replica_updates", "ON"), rounds(4));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_EQUAL);
        assertThat(attempt.outcome().rounds()).isEqualTo(4);
        assertThat(attempt.log()).noneMatch(line -> line.contains(WORKERS));
    }

    static Stream<Arguments> inconclusiveMySqlRows() {
        return Stream.of(
                Arguments.of(mySql().with(IN_INNODB, one("1")), "may not be read, or are not in InnoDB"),
                Arguments.of(mySql().with(SUPER_READ_ONLY, one("0")), "super_read_only is not on"),
                // of six readings the last one, which follows a snapshot
                Arguments.of(mySql().with(SUPER_READ_ONLY, n -> one(n == 5 ? "0" : "1")), "super_read_only is not on"),
                Arguments.of(mySql().with(CHANNELS, List.of()), "nothing is replicated"),
                Arguments.of(
                        mySql().with(CHANNELS, channel("group_replication_applier", "0", "700")), "within a group"),
                Arguments.of(mySql().with(CHANNELS, channel("", "1", "700")), "keep no positions"),
                Arguments.of(
                        mySql().with(XA, List.of(List.of("Com_xa_commit", "1"), List.of("Com_xa_start", "0"))), "XA"),
                Arguments.of(
                        mySql().with(XA, List.of(List.of("Com_xa_commit", "0"), List.of("Com_xa_start", "1"))), "XA"),
                Arguments.of(mySql().with(XA, one("Com_xa_commit", "0")), "XA"));
    }

    @ParameterizedTest
    @MethodSource("inconclusiveMySqlRows")
    void aMySqlReplicaWithInconclusiveRowsProvesNothing(Answers answers, String why) throws Exception {
        SnapshotOutcome outcome = SnapshotAttempt.of(mySql(answers, "log_replica_updates", "OFF"), rounds(10))
                .outcome();
        assertThat(outcome.kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
        assertThat(outcome.detail()).contains("does not log what it replicates", why);
    }

    @Test
    void withoutGtidsAMySqlReplicaIsVerifiedByRows() throws Exception {
        Answers answers = mySql().with(GTIDS, one("OFF", ""));
        SnapshotAttempt attempt = SnapshotAttempt.of(mySql(answers, "log_replica_updates", "ON"), rounds(1));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
        assertThat(attempt.outcome().rounds()).isEqualTo(2);
        assertThat(attempt.log()).anyMatch(line -> line.contains(WORKERS)).anyMatch(line -> line.contains(GTIDS));
    }

    @ParameterizedTest
    @CsvSource({"1142, Channel_name", "1044, Channel_name", "1054, 'Channel_name, Require'"})
    void aMySqlReplicaWhoseRowsCannotBeReadProvesNothing(int errno, String columns) throws Exception {
        ScriptedServer script = mySql(mySql(), "log_replica_updates", "OFF");
        script.fail("SELECT " + columns, errno);
        SnapshotAttempt attempt = SnapshotAttempt.of(script, rounds(10));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
        assertThat(attempt.log()).anyMatch(line -> line.contains(columns.replaceAll(",.*", "")));
    }

    @ParameterizedTest
    @CsvSource({"super_read_only, OFF", "relay_log_info_repository, FILE", "wsrep_on, ON"})
    void othersAreNotAskedForRowsOfReplication(String name, String value) throws Exception {
        SnapshotAttempt attempt =
                SnapshotAttempt.of(mySql(mySql(), "log_replica_updates", "OFF", name, value), rounds(10));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
        assertThat(attempt.log()).isEmpty();
    }

    private static Answers mariaDb() {
        return new Answers()
                .with(TABLES, one("gtid_slave_pos", "InnoDB"))
                .with(OTHER_ENGINES, one(""))
                .with(CONNECTIONS, one("", "Slave_Pos"))
                .with(READ_ONLY, one("1"))
                .with(POSITIONS, one("0", "7", "3", "7"))
                .with(COUNTERS, List.of(List.of("Com_xa_commit", "0"), List.of(COUNTERS, "0")))
                .with(RUNNING, one("Slaves_running", "1"))
                .with("@@global.gtid_slave_pos", one("0-3-7"))
                .with("LIKE 'Com_xa_commit'", one("Com_xa_commit", "0"))
                .with(LOG, log("329"));
    }

    private static List<List<String>> log(String position) {
        return List.of(List.of("Binlog_snapshot_file", "binlog.000001"), List.of("Binlog_snapshot_position", position));
    }

    private static ScriptedServer mariaDb(Answers answers, String logBin, String readOnly) {
        ScriptedServer script =
                new ScriptedServer(MARIADB, Map.of("log_bin", logBin, "read_only", readOnly), answers::to);
        script.names(CONNECTIONS, List.of("Connection_name", "Using_Gtid"));
        return script;
    }

    private static ScriptedServer logged(Answers answers) {
        return mariaDb(answers, "ON", "OFF");
    }

    private static ScriptedServer unlogged(Answers answers) {
        return mariaDb(answers, "OFF", "ON");
    }

    @Test
    void aMariaDbReplicaIsVerifiedByRowsAndLog() throws Exception {
        // local writes appear in the log
        SnapshotAttempt attempt = SnapshotAttempt.of(logged(mariaDb().with(READ_ONLY, one("0"))), rounds(10));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
        assertThat(attempt.log().stream().filter(line -> line.startsWith("2: ")))
                .containsExactly(
                        "2: SELECT @@global.read_only",
                        "2: SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
                        "2: START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
                        "2: SELECT domain_id, sub_id, server_id, seq_no FROM mysql.gtid_slave_pos"
                                + " ORDER BY domain_id, sub_id",
                        "2: SELECT @@global.read_only",
                        "2: SHOW STATUS LIKE 'binlog_snapshot_%'",
                        "2: SHOW STATUS LIKE 'binlog_snapshot_%'");
    }

    @Test
    void aMariaDbReplicaWithoutALogIsVerifiedByRowsAlone() throws Exception {
        SnapshotAttempt attempt = SnapshotAttempt.of(unlogged(mariaDb()), rounds(10));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
        assertThat(attempt.log()).noneMatch(line -> line.contains(LOG));
    }

    /** In the first round one reading differs: of the rows, or of the log. */
    @Test
    void aMariaDbReplicaTriesAgainWhenEitherDiffers() throws Exception {
        for (Answers answers : List.of(
                mariaDb().with(POSITIONS, n -> one("0", n == 1 ? "8" : "7", "3", "7")),
                mariaDb().with(LOG, n -> log(n == 3 ? "700" : "329")))) {
            SnapshotOutcome outcome =
                    SnapshotAttempt.of(logged(answers), rounds(10)).outcome();
            assertThat(outcome.kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
            // one more round by the log alone, which replication makes useless
            assertThat(outcome.rounds()).isEqualTo(3);
        }
    }

    static Stream<Arguments> inconclusiveMariaDbRows() {
        return Stream.of(
                Arguments.of(mariaDb().with(TABLES, List.of()), "may not be read"),
                Arguments.of(mariaDb().with(TABLES, one("gtid_slave_pos", "Aria")), "not in InnoDB"),
                Arguments.of(
                        mariaDb()
                                .with(
                                        TABLES,
                                        List.of(
                                                List.of("gtid_slave_pos", "InnoDB"),
                                                List.of("gtid_slave_pos_rocksdb", "ROCKSDB"))),
                        "not in InnoDB"),
                Arguments.of(mariaDb().with(OTHER_ENGINES, one("rocksdb")), "gtid_pos_auto_engines"),
                Arguments.of(mariaDb().with(CONNECTIONS, one("", "No")), "does not use GTIDs"),
                Arguments.of(
                        mariaDb().with(CONNECTIONS, n -> one("", n == 0 ? "Current_Pos" : "No")), "does not use GTIDs"),
                Arguments.of(mariaDb().with(CONNECTIONS, List.of()), "nothing is replicated"),
                Arguments.of(
                        mariaDb().with(CONNECTIONS, List.of(List.of("a", "Slave_Pos"), List.of("b", "Slave_Pos"))),
                        "several connections"),
                Arguments.of(
                        mariaDb().with(COUNTERS, List.of(List.of("Com_xa_commit", "1"), List.of(COUNTERS, "0"))), "XA"),
                Arguments.of(
                        mariaDb().with(COUNTERS, List.of(List.of("Com_xa_commit", "0"), List.of(COUNTERS, "1"))),
                        "several engines"),
                Arguments.of(mariaDb().with(COUNTERS, one("Com_xa_commit", "0")), "XA"));
    }

    @ParameterizedTest
    @MethodSource("inconclusiveMariaDbRows")
    void aMariaDbReplicaWithInconclusiveRowsProvesNothing(Answers answers, String why) throws Exception {
        SnapshotOutcome outcome =
                SnapshotAttempt.of(logged(answers), rounds(10)).outcome();
        assertThat(outcome.kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
        assertThat(outcome.detail()).contains("does not log what it replicates", why);
    }

    @ParameterizedTest
    @CsvSource({
        "SHOW ALL, 1227, may not be seen",
        "SELECT domain_id, 1142, cannot be read",
        "SELECT @@global.gtid_pos_auto_engines, 1105, cannot be read"
    })
    void withoutTheRightsAMariaDbReplicaProvesNothing(String statement, int errno, String why) throws Exception {
        ScriptedServer script = logged(mariaDb());
        script.fail(statement, errno);
        SnapshotOutcome outcome = SnapshotAttempt.of(script, rounds(10)).outcome();
        assertThat(outcome.kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
        assertThat(outcome.detail()).contains(why);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SHOW ALL", "SELECT @@global.gtid_pos", "SELECT domain_id", "SELECT @@global.read_only"})
    void anInterruptedQuerySaysNothingAboutAMariaDbReplica(String statement) {
        ScriptedServer script = logged(mariaDb());
        script.fail(statement, 1317);
        assertThatThrownBy(() -> SnapshotAttempt.of(script, rounds(10)))
                .isInstanceOfSatisfying(
                        ServerException.class, e -> assertThat(e.errno()).isEqualTo(1317));
    }

    /** Of six readings the last one differs, which follows a snapshot. */
    @Test
    void aMariaDbReplicaWithoutALogHasToBeReadOnly() throws Exception {
        SnapshotOutcome outcome = SnapshotAttempt.of(
                        unlogged(mariaDb().with(READ_ONLY, n -> one(n == 5 ? "0" : "1"))), rounds(10))
                .outcome();
        assertThat(outcome.kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
        assertThat(outcome.detail()).contains("no binary log", "read_only is not on");
        SnapshotAttempt writable = SnapshotAttempt.of(mariaDb(mariaDb(), "OFF", "OFF"), rounds(10));
        assertThat(writable.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
        assertThat(writable.log()).isEmpty();
    }

    @Test
    void aMariaDbServerThatDoesNotReplicateIsNotAskedForRows() throws Exception {
        SnapshotAttempt attempt =
                SnapshotAttempt.of(logged(mariaDb().with(RUNNING, one("Slaves_running", "0"))), rounds(10));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
        assertThat(attempt.outcome().rounds()).isEqualTo(1);
        assertThat(attempt.log()).noneMatch(line -> line.contains(POSITIONS));
    }
}
