package io.fanfold.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.client.FakeServer;
import io.fanfold.client.ScriptedServer;
import io.fanfold.client.ServerException;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.WireConnection;
import io.fanfold.config.SnapshotConfig;
import io.fanfold.config.SnapshotConfig.Consistency;
import io.fanfold.config.SnapshotConfig.TableLocks;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotOpenerTest {
    private static final Map<String, String> MYSQL = Map.of("log_bin", "ON", "log_replica_updates", "ON");
    private static final Map<String, String> MARIADB = Map.of("log_bin", "ON", "log_slave_updates", "OFF");
    private static final String MYSQL_VERSION = "9.7.0";
    private static final String MARIADB_VERSION = "5.5.5-10.11.19-MariaDB-log";
    private static final Duration AMPLE = Duration.ofMinutes(5);

    /** The reads of the first worker before it asks for the committed transactions. */
    private static final List<String> TOUCHES =
            List.of("1: SELECT 1 FROM `db`.`t` LIMIT 0", "1: SELECT 1 FROM `o``d`.`u` LIMIT 0");

    /** Reads of tables on other servers. */
    private static final List<String> REMOTE =
            List.of("SELECT COLLATION(s) FROM t LIMIT 1", "SELECT COLLATION(s) FROM t PARTITION (p) LIMIT 1");

    private static SnapshotAttempt attempt(
            String version,
            Map<String, String> variables,
            Function<String, List<List<String>>> answers,
            SnapshotConfig config)
            throws Exception {
        return SnapshotAttempt.of(new ScriptedServer(version, variables, answers), config);
    }

    private static SnapshotConfig config(Consistency consistency, int rounds, Duration time) {
        return new SnapshotConfig(consistency, rounds, time, TableLocks.REFUSE, AMPLE);
    }

    private static SnapshotConfig strict(int rounds) {
        return config(Consistency.STRICT, rounds, AMPLE);
    }

    /** Answers of a MySQL server. The owned and executed GTIDs are computed at each call. */
    private static Function<String, List<List<String>>> mySql(
            Function<Integer, String> executed, Function<Integer, String> owned) {
        AtomicInteger executedReads = new AtomicInteger();
        AtomicInteger ownedReads = new AtomicInteger();
        return sql -> {
            if (sql.contains("gtid_executed")) {
                return List.of(List.of("ON", executed.apply(executedReads.getAndIncrement())));
            }
            if (sql.contains("gtid_owned")) {
                return List.of(List.of(owned.apply(ownedReads.getAndIncrement())));
            }
            return List.of();
        };
    }

    @Test
    void mySqlIsVerifiedWhenNothingWasCommitted() throws Exception {
        SnapshotAttempt attempt = attempt(MYSQL_VERSION, MYSQL, mySql(n -> "uuid:1-5", n -> ""), strict(10));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
        assertThat(attempt.outcome().rounds()).isEqualTo(1);
        for (int worker = 1; worker <= 3; worker++) {
            String own = worker + ": ";
            List<String> sent = new ArrayList<>(List.of(
                    own + "SELECT @@global.gtid_mode, @@global.gtid_executed",
                    own + "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
                    own + "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
                    own + "SELECT @@global.gtid_owned",
                    own + "SELECT @@global.gtid_mode, @@global.gtid_executed"));
            if (worker == 1) {
                sent.addAll(3, TOUCHES);
            }
            assertThat(attempt.log().stream().filter(line -> line.startsWith(own)))
                    .containsExactlyElementsOf(sent);
        }
    }

    @Test
    void singleWorkerNeedsNoProof() throws Exception {
        ScriptedServer script = new ScriptedServer(MYSQL_VERSION, Map.of("log_bin", "OFF"), sql -> List.of());
        SnapshotAttempt attempt = SnapshotAttempt.of(script, strict(10), 1, () -> true);
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
        List<String> sent = new ArrayList<>(List.of(
                "1: SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY", "1: START TRANSACTION READ ONLY"));
        sent.addAll(TOUCHES);
        assertThat(attempt.log()).containsExactlyElementsOf(sent);
    }

    @Test
    void mySqlTriesAgainAfterACommitInBetween() throws Exception {
        // Six reads a round: in the first round, the last one sees one more transaction.
        SnapshotAttempt attempt =
                attempt(MYSQL_VERSION, MYSQL, mySql(n -> n < 5 ? "uuid:1-5" : "uuid:1-6", n -> ""), strict(10));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
        assertThat(attempt.outcome().rounds()).isEqualTo(2);
        assertThat(attempt.log()).contains("1: ROLLBACK AND NO CHAIN NO RELEASE");
    }

    @Test
    void mySqlTriesAgainWhenACommitIsUnderWay() throws Exception {
        SnapshotAttempt attempt = attempt(
                MYSQL_VERSION, MYSQL, mySql(n -> "uuid:1-5", n -> n == 4 ? "uuid:6#77" : n < 3 ? "x" : ""), strict(10));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
        assertThat(attempt.outcome().rounds()).isEqualTo(3);
    }

    @Test
    void noMoreRoundsAreTriedForACallerThatStoppedWaiting() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        SnapshotAttempt attempt = SnapshotAttempt.of(
                new ScriptedServer(MYSQL_VERSION, MYSQL, mySql(n -> "uuid:1-" + n, n -> "")),
                new SnapshotConfig(Consistency.STRICT, 100, AMPLE, TableLocks.ALLOW, AMPLE),
                () -> asked.incrementAndGet() < 3);
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_EQUAL);
        assertThat(attempt.outcome().rounds()).as("and no lock").isEqualTo(3);
    }

    @Test
    void roundsAreBounded() throws Exception {
        SnapshotAttempt attempt = attempt(MYSQL_VERSION, MYSQL, mySql(n -> "uuid:1-" + n, n -> ""), strict(4));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_EQUAL);
        assertThat(attempt.outcome().rounds()).isEqualTo(4);
        assertThat(attempt.outcome().usable()).isFalse();
    }

    @Test
    void timeIsBounded() throws Exception {
        SnapshotAttempt attempt = attempt(
                MYSQL_VERSION,
                MYSQL,
                mySql(n -> "uuid:1-" + n, n -> ""),
                config(Consistency.STRICT, 1000, Duration.ZERO));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_EQUAL);
        assertThat(attempt.outcome().rounds()).isEqualTo(1);
    }

    @Test
    void aGtidModeThatIsNotOnProvesNothing() throws Exception {
        Function<String, List<List<String>>> answers =
                sql -> sql.contains("gtid_executed") ? List.of(List.of("ON_PERMISSIVE", "uuid:1-5")) : List.of();
        assertThat(attempt(MYSQL_VERSION, MYSQL, answers, strict(10)).outcome().kind())
                .isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
    }

    @ParameterizedTest
    @CsvSource({
        "9.7.0, log_bin, OFF, binary log",
        "9.7.0, log_replica_updates, OFF, replicates",
        "5.5.5-10.11.19-MariaDB, log_bin, OFF, binary log",
        "5.5.5-10.11.19-MariaDB, wsrep_on, ON, Galera"
    })
    void serversWithoutAProofAreNotAskedForOne(String version, String name, String value, String detail)
            throws Exception {
        Map<String, String> variables = new HashMap<>(MYSQL);
        variables.put(name, value);
        SnapshotAttempt attempt = attempt(version, variables, sql -> List.of(), strict(10));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
        assertThat(attempt.outcome().detail()).contains(detail);
        assertThat(attempt.log()).isEmpty();
    }

    @Test
    void relaxedSnapshotsAreOpenedOnceWhateverTheServer() throws Exception {
        SnapshotAttempt attempt = attempt(
                MYSQL_VERSION, Map.of("log_bin", "OFF"), sql -> List.of(), config(Consistency.RELAXED, 10, AMPLE));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.RELAXED);
        assertThat(attempt.outcome().usable()).isTrue();
        assertThat(attempt.log()).hasSize(6 + TOUCHES.size()).containsAll(TOUCHES);
    }

    @Test
    void aWorkersErrorIsReported() throws Exception {
        ScriptedServer script = new ScriptedServer(MYSQL_VERSION, MYSQL, mySql(n -> "uuid:1-5", n -> ""));
        try (FakeServer server = new FakeServer(script);
                WireConnection one = server.open();
                WireConnection other = server.open()) {
            ServerFacts facts = ServerFacts.discover(one);
            script.fail("START", 1227);
            assertThatThrownBy(() -> new SnapshotOpener(SnapshotAttempt.ELSEWHERE)
                            .open(List.of(one, other), facts, strict(3), SnapshotAttempt.TABLES, () -> true))
                    .isInstanceOfSatisfying(
                            ServerException.class, e -> assertThat(e.errno()).isEqualTo(1227));
            assertThat(one.idle()).isTrue();
            assertThat(other.idle()).isTrue();
        }
    }

    /** A query that failed must not be taken for one without rows: no transaction owns a GTID, all positions are equal. */
    @ParameterizedTest
    @CsvSource({
        "9.7.0, SELECT @@global.gtid_mode",
        "9.7.0, SELECT @@global.gtid_owned",
        "5.5.5-10.11.19-MariaDB-log, SELECT @@global.gtid_binlog_pos"
    })
    void aQueryThatFailedProvesNothing(String version, String query) throws Exception {
        ScriptedServer script = idle(version);
        script.fail(query, 1105);
        SnapshotOutcome outcome = SnapshotAttempt.of(script, strict(3)).outcome();
        assertThat(outcome.kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
        assertThat(outcome.detail()).contains("cannot be read");
    }

    /** It says nothing about the server, so no other proof and no lock is tried. */
    @ParameterizedTest
    @CsvSource({
        "9.7.0, SELECT @@global.gtid_mode, 1317",
        "9.7.0, SELECT @@global.gtid_owned, 3024",
        "5.5.5-10.11.19-MariaDB-log, SELECT @@global.gtid_binlog_pos, 1969"
    })
    void anInterruptedQueryEndsTheAttempt(String version, String query, int errno) {
        ScriptedServer script = idle(version);
        script.fail(query, errno);
        assertThatThrownBy(() -> SnapshotAttempt.of(script, strict(3)))
                .isInstanceOfSatisfying(
                        ServerException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    /** A server that commits nothing. */
    private static ScriptedServer idle(String version) {
        return version.equals(MYSQL_VERSION)
                ? new ScriptedServer(version, MYSQL, mySql(n -> "uuid:1-5", n -> ""))
                : new ScriptedServer(version, MARIADB, mariaDb(n -> "329", n -> "0", n -> ""));
    }

    /** Locks are tried after other proofs: if those are not available (auto), or have failed too (allow). */
    @ParameterizedTest
    @CsvSource({
        "REFUSE, ON, NOT_EQUAL",
        "REFUSE, OFF, NOT_PROVABLE",
        "AUTO, ON, NOT_EQUAL",
        "AUTO, OFF, LOCKED",
        "ALLOW, ON, LOCKED",
        "ALLOW, OFF, LOCKED"
    })
    void tablesAreLockedAsConfigured(TableLocks allowed, String binlog, SnapshotOutcome.SnapshotState kind)
            throws Exception {
        Map<String, String> variables = new HashMap<>(MYSQL);
        variables.put("log_bin", binlog);
        SnapshotAttempt attempt = attempt(
                MYSQL_VERSION,
                variables,
                mySql(n -> "uuid:1-" + n, n -> ""),
                new SnapshotConfig(Consistency.STRICT, 2, AMPLE, allowed, Duration.ofSeconds(10)));
        assertThat(attempt.outcome().kind()).isEqualTo(kind);
        List<String> locking = attempt.log().stream()
                .filter(line -> line.startsWith("4: ") && !line.contains("VARIABLES"))
                .toList();
        if (kind == SnapshotOutcome.SnapshotState.LOCKED) {
            assertThat(locking)
                    .containsExactly(
                            "4: SET SESSION lock_wait_timeout = 1",
                            "4: LOCK TABLES `db`.`t` READ, `o``d`.`u` READ",
                            "4: UNLOCK TABLES");
            assertThat(attempt.log().lastIndexOf(TOUCHES.get(1)))
                    .isBetween(
                            attempt.log().indexOf(locking.get(1)), attempt.log().indexOf(locking.get(2)));
        } else {
            assertThat(locking).isEmpty();
        }
    }

    /** The binary log would prove nothing of other servers, and a single worker has a snapshot on each of them. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void snapshotsOfOtherServersAreOpenedUnderTheLock(int workers) throws Exception {
        ScriptedServer script = new ScriptedServer(MYSQL_VERSION, MYSQL, sql -> List.of());
        SnapshotAttempt attempt = SnapshotAttempt.remote(script, strict(10), workers, REMOTE);
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.LOCKED);
        String holder = (workers + 1) + ": ";
        List<String> log = attempt.log();
        // READ LOCAL: the head itself must lock nothing
        int locked = log.indexOf(holder + "LOCK TABLES `db`.`t` READ LOCAL, `o``d`.`u` READ LOCAL");
        assertThat(log.get(locked - 1)).startsWith(holder).contains("spider_local_lock_table = 0");
        for (int worker = 1; worker <= workers; worker++) {
            String read = worker + ": " + REMOTE.get(1);
            assertThat(log.indexOf(read)).as("connected before").isBetween(0, locked);
            assertThat(log.lastIndexOf(read)).isBetween(locked, log.indexOf(holder + "UNLOCK TABLES"));
        }
        // the connection may run partition queries later
        assertThat(log.get(log.size() - 1)).startsWith(holder).contains("spider_net_read_timeout = DEFAULT");
    }

    @Test
    void otherServersMustDefineTheTableInTheSameWay() throws Exception {
        ScriptedServer script = new ScriptedServer(
                MYSQL_VERSION,
                MYSQL,
                sql -> sql.equals(REMOTE.get(1))
                        ? List.of(List.of("utf8mb4_bin"))
                        : sql.startsWith(REMOTE.get(0)) ? List.of(List.of("utf8mb4_general_ci")) : List.of());
        SnapshotAttempt attempt = SnapshotAttempt.remote(script, strict(10), 2, REMOTE);
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
        assertThat(attempt.outcome().detail()).contains("collations");
    }

    @Test
    void aLockOnOtherServersThatFailsEndsItsConnection() throws Exception {
        ScriptedServer script = new ScriptedServer(MYSQL_VERSION, MYSQL, sql -> List.of());
        script.fail("LOCK TABLES `db`.`t` READ LOCAL, `o``d`.`u` READ LOCAL", 1044);
        SnapshotAttempt attempt = SnapshotAttempt.remote(script, strict(10), 2, REMOTE);
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
        // the settings are not needed any more
        assertThat(attempt.log()).noneMatch(line -> line.contains("spider_net_read_timeout = DEFAULT"));
    }

    /** While Spider waits for one server, nobody can write to those that it has locked already. */
    @Test
    void aLockOnOtherServersThatTookLongIsNotTriedForTwentyTimesAsLong() throws Exception {
        AtomicLong clock = new AtomicLong();
        ScriptedServer script = new ScriptedServer(MYSQL_VERSION, MYSQL, sql -> {
            if (sql.contains("spider_net_read_timeout = 1")) {
                clock.addAndGet(Duration.ofSeconds(1).toNanos());
            }
            return List.of();
        });
        script.fail("LOCK TABLES", 1205);
        List<Integer> rounds = SnapshotAttempt.remoteRounds(
                script,
                REMOTE,
                clock::get,
                List.of(
                        opener -> clock.set(0),
                        opener -> clock.addAndGet(Duration.ofMillis(19_900).toNanos()),
                        opener -> clock.addAndGet(Duration.ofMillis(100).toNanos()),
                        opener -> clock.addAndGet(Duration.ofSeconds(10).toNanos()),
                        SnapshotOpener::forget));
        assertThat(rounds).containsExactly(1, 0, 1, 0, 1);
    }

    /** The reply to LOCK TABLES is read all the same, so the next statement does not hide the error. */
    @Test
    void aRefusedSettingOfALockIsTheError() {
        ScriptedServer script = new ScriptedServer(MYSQL_VERSION, MYSQL, sql -> List.of());
        script.fail("SET SESSION lock_wait_timeout", 1227);
        assertThatThrownBy(() -> SnapshotAttempt.remote(script, strict(10), 2, REMOTE))
                .isInstanceOfSatisfying(
                        ServerException.class, e -> assertThat(e.errno()).isEqualTo(1227));
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Test
    void aLockThatCannotBeKilledIsAwaited() throws Exception {
        CountDownLatch killed = new CountDownLatch(1);
        ScriptedServer script = new ScriptedServer(MYSQL_VERSION, MYSQL, sql -> {
            if (sql.startsWith("LOCK TABLES")) {
                assertThat(await(killed)).isTrue();
            }
            return List.of();
        });
        SnapshotConfig impatient =
                new SnapshotConfig(Consistency.STRICT, 10, AMPLE, TableLocks.ALLOW, Duration.ofMillis(1));
        SnapshotAttempt attempt = SnapshotAttempt.remote(script, impatient, 2, REMOTE, () -> {
            killed.countDown();
            throw new IOException("the kill was lost");
        });
        assertThat(attempt.outcome().kind())
                .isIn(SnapshotOutcome.SnapshotState.LOCKED, SnapshotOutcome.SnapshotState.NOT_EQUAL);
        assertThat(attempt.log()).contains("3: UNLOCK TABLES");
    }

    @Test
    void aReadOfAnotherServerThatFailsIsNoSnapshot() {
        ScriptedServer script = new ScriptedServer(MYSQL_VERSION, MYSQL, sql -> List.of());
        script.fail(REMOTE.get(1), 1429);
        assertThatThrownBy(() -> SnapshotAttempt.remote(script, strict(10), 2, REMOTE))
                .isInstanceOfSatisfying(
                        ServerException.class, e -> assertThat(e.errno()).isEqualTo(1429));
    }

    @Test
    void snapshotsOfSeveralServersAreOpenedWhenAllHaveAppliedTheSame() throws Exception {
        ScriptedServer script = new ScriptedServer(MYSQL_VERSION, MYSQL, sql -> List.of());
        SnapshotAttempt attempt = SnapshotAttempt.ofSeveral(script, strict(10), 2, (holder, left) -> {
            assertThat(script.log()).contains("3: LOCK TABLES `db`.`t` READ, `o``d`.`u` READ");
            assertThat(script.log()).noneMatch(line -> line.contains("CONSISTENT SNAPSHOT"));
            return Optional.empty();
        });
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.LOCKED);
        assertThat(attempt.log().stream().filter(line -> line.contains("CONSISTENT SNAPSHOT")))
                .hasSize(2);
    }

    @Test
    void aLockForSeveralServersIsReleasedIfOneIsLate() throws Exception {
        ScriptedServer script = new ScriptedServer(MYSQL_VERSION, MYSQL, sql -> List.of());
        SnapshotAttempt late =
                SnapshotAttempt.ofSeveral(script, strict(10), 2, (holder, left) -> Optional.of("one is late"));
        assertThat(late.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_EQUAL);
        assertThat(late.outcome().detail()).isEqualTo("one is late");
        assertThat(late.log()).contains("3: UNLOCK TABLES").noneMatch(line -> line.contains("CONSISTENT SNAPSHOT"));

        assertThatThrownBy(() -> SnapshotAttempt.ofSeveral(script, strict(10), 2, (holder, left) -> {
                    throw new IOException("one is silent");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("one is silent");
        assertThat(script.log()).contains("3: UNLOCK TABLES");
    }

    @Test
    void tablesThatCannotBeLockedAreLeftAloneForAMoment() throws Exception {
        ScriptedServer script = new ScriptedServer(MYSQL_VERSION, MYSQL, mySql(n -> "uuid:1-" + n, n -> ""));
        script.fail("LOCK TABLES", 1044);
        List<SnapshotOutcome> outcomes = SnapshotAttempt.twice(
                script, new SnapshotConfig(Consistency.STRICT, 2, AMPLE, TableLocks.ALLOW, Duration.ofSeconds(10)));
        assertThat(outcomes).extracting(SnapshotOutcome::kind).containsOnly(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
        assertThat(outcomes.get(0).rounds()).isEqualTo(3);
        assertThat(outcomes.get(0).detail()).contains("committed in between", "cannot be locked: 1044");
        assertThat(outcomes.get(1).rounds()).isEqualTo(2);
        assertThat(outcomes.get(1).detail()).contains("cannot be locked: 1044");
        assertThat(script.log())
                .filteredOn(line -> line.contains("LOCK TABLES"))
                .hasSize(1);
    }

    /** Answers of a MariaDB server. */
    private static Function<String, List<List<String>>> mariaDb(
            Function<Integer, String> position,
            Function<Integer, String> running,
            Function<Integer, String> replicated) {
        return mariaDb(position, running, replicated, "0");
    }

    private static Function<String, List<List<String>>> mariaDb(
            Function<Integer, String> position,
            Function<Integer, String> running,
            Function<Integer, String> replicated,
            String xa) {
        AtomicInteger positions = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        AtomicInteger replications = new AtomicInteger();
        return sql -> {
            if (sql.contains("binlog_snapshot")) {
                return List.of(
                        List.of("Binlog_snapshot_file", "binlog.000001"),
                        List.of("Binlog_snapshot_position", position.apply(positions.getAndIncrement())));
            }
            if (sql.contains("Com_xa_commit")) {
                return List.of(List.of("Com_xa_commit", xa));
            }
            if (sql.contains("Slaves_running")) {
                return List.of(List.of("Slaves_running", running.apply(runs.getAndIncrement())));
            }
            if (sql.contains("gtid_slave_pos")) {
                return List.of(List.of(replicated.apply(replications.getAndIncrement())));
            }
            return List.of();
        };
    }

    @Test
    void mariaDbIsVerifiedByPositionsReadOneWorkerAtATimeAndTwice() throws Exception {
        SnapshotAttempt attempt =
                attempt(MARIADB_VERSION, MARIADB, mariaDb(n -> "329", n -> "0", n -> "0-1-5"), strict(10));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
        assertThat(attempt.log().stream().filter(line -> line.contains("binlog_snapshot")))
                .extracting(line -> line.substring(0, 1))
                .containsExactly("1", "1", "2", "2", "3", "3");
    }

    @Test
    void mariaDbIsNotAskedForPreparedTransactionsBeforeTheFirstXaCommit() throws Exception {
        SnapshotAttempt attempt =
                attempt(MARIADB_VERSION, MARIADB, mariaDb(n -> "329", n -> "0", n -> "0-1-5"), strict(10));
        assertThat(attempt.outcome().rounds()).isEqualTo(1);
        assertThat(attempt.log()).containsOnlyOnce("1: SHOW GLOBAL STATUS LIKE 'Com_xa_commit'");
        assertThat(attempt.log())
                .noneMatch(line -> line.contains("XA RECOVER"))
                .filteredOn(line -> line.contains("Com_xa_commit"))
                .hasSize(1);
    }

    /** Answers of a MariaDB server that has counted an XA COMMIT. */
    private static Function<String, List<List<String>>> afterXa(
            Function<Integer, String> logged, Function<Integer, List<List<String>>> listed) {
        Function<String, List<List<String>>> others = mariaDb(n -> "329", n -> "0", n -> "0-1-5", "1");
        AtomicInteger ends = new AtomicInteger();
        AtomicInteger lists = new AtomicInteger();
        return sql -> switch (sql) {
            case "SELECT @@global.gtid_binlog_pos" -> List.of(List.of(logged.apply(ends.getAndIncrement())));
            case "XA RECOVER" -> listed.apply(lists.getAndIncrement());
            default -> others.apply(sql);
        };
    }

    private static final List<List<String>> PREPARED = List.of(List.of("1", "2", "0", "it"));

    @Test
    void afterAnXaCommitMariaDbIsVerifiedIfNothingIsPrepared() throws Exception {
        SnapshotAttempt attempt = attempt(MARIADB_VERSION, MARIADB, afterXa(n -> "0-1-5", n -> List.of()), strict(10));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
        assertThat(attempt.outcome().rounds()).as("the first learns of XA").isEqualTo(2);
        assertThat(attempt.log().stream().filter(line -> line.startsWith("3: ")))
                .containsExactly(
                        "3: SELECT @@global.gtid_binlog_pos",
                        "3: SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
                        "3: START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
                        "3: SELECT @@global.gtid_binlog_pos",
                        "3: SHOW STATUS LIKE 'binlog_snapshot_%'",
                        "3: SHOW STATUS LIKE 'binlog_snapshot_%'",
                        "3: ROLLBACK AND NO CHAIN NO RELEASE",
                        "3: SELECT @@global.gtid_binlog_pos",
                        "3: XA RECOVER",
                        "3: SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
                        "3: START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
                        "3: SELECT @@global.gtid_binlog_pos",
                        "3: SHOW STATUS LIKE 'binlog_snapshot_%'",
                        "3: SHOW STATUS LIKE 'binlog_snapshot_%'");
        assertThat(attempt.log())
                .filteredOn(line -> line.contains("Com_xa_commit"))
                .hasSize(1);
    }

    @Test
    void mariaDbOpensAllAgainWhileAnyWorkerSeesATransactionPrepared() throws Exception {
        SnapshotAttempt attempt = attempt(
                MARIADB_VERSION,
                MARIADB,
                afterXa(n -> "0-1-5", n -> n % 3 == 2 && n < 9 ? PREPARED : List.of()),
                strict(10));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
        assertThat(attempt.outcome().rounds()).isEqualTo(1 + 3 + 1);
    }

    @Test
    void mariaDbOpensAllAgainWhenItsLogMovedAroundASnapshot() throws Exception {
        // Six readings a round, two of each worker: in the second round, one of the second worker differs.
        SnapshotAttempt attempt =
                attempt(MARIADB_VERSION, MARIADB, afterXa(n -> n == 9 ? "0-1-6" : "0-1-5", n -> List.of()), strict(10));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
        assertThat(attempt.outcome().rounds()).isEqualTo(3);
    }

    @Test
    void aTransactionThatStaysPreparedIsNotWaitedFor() throws Exception {
        SnapshotAttempt attempt = attempt(MARIADB_VERSION, MARIADB, afterXa(n -> "0-1-5", n -> PREPARED), strict(1000));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
        assertThat(attempt.outcome().detail()).contains("stays prepared");
        assertThat(attempt.outcome().rounds()).isLessThan(100);
    }

    @Test
    void nothingIsProvenIfPreparedTransactionsAreNotListed() throws Exception {
        ScriptedServer script = new ScriptedServer(MARIADB_VERSION, MARIADB, afterXa(n -> "0-1-5", n -> List.of()));
        script.fail("XA RECOVER", 1227);
        SnapshotAttempt attempt = SnapshotAttempt.of(script, strict(10));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
        assertThat(attempt.outcome().detail()).contains("prepared");
    }

    @Test
    void mariaDbOpensAllAgainWhenAnyReadingDiffers() throws Exception {
        // The second reading of the second worker differs once.
        SnapshotAttempt attempt =
                attempt(MARIADB_VERSION, MARIADB, mariaDb(n -> n == 3 ? "700" : "329", n -> "0", n -> ""), strict(10));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
        assertThat(attempt.outcome().rounds()).isEqualTo(2);
        assertThat(attempt.log().stream().filter(line -> line.contains("START")))
                .hasSize(6);
    }

    @Test
    void mariaDbProvesNothingWhileItReplicatesWithoutLogging() throws Exception {
        assertThat(attempt(MARIADB_VERSION, MARIADB, mariaDb(n -> "329", n -> "1", n -> ""), strict(10))
                        .outcome()
                        .kind())
                .isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
        assertThat(attempt(MARIADB_VERSION, MARIADB, mariaDb(n -> "329", n -> "0", n -> "0-1-" + n), strict(10))
                        .outcome()
                        .kind())
                .isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
    }

    @Test
    void mariaDbThatLogsReplicatedChangesIsNotAskedForItsReplication() throws Exception {
        SnapshotAttempt attempt = attempt(
                MARIADB_VERSION,
                Map.of("log_bin", "ON", "log_slave_updates", "ON"),
                mariaDb(n -> "329", n -> "1", n -> "0-1-" + n),
                strict(10));
        assertThat(attempt.outcome().kind()).isEqualTo(SnapshotOutcome.SnapshotState.VERIFIED);
        assertThat(attempt.log()).noneMatch(line -> line.contains("slave"));
    }

    @Test
    void mariaDbWithoutPositionsProvesNothing() throws Exception {
        assertThat(attempt(
                                MARIADB_VERSION,
                                MARIADB,
                                sql -> sql.contains("binlog_snapshot")
                                        ? List.of(List.of("Binlog_snapshot_file", ""))
                                        : List.of(),
                                strict(10))
                        .outcome()
                        .kind())
                .isEqualTo(SnapshotOutcome.SnapshotState.NOT_PROVABLE);
    }
}
