package io.fanfold.session.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.execute.FreshTransaction;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PacketRole;
import io.fanfold.wire.ServerStatus;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransactionWatchTest {
    private static final int OUTSIDE = ServerStatus.AUTOCOMMIT;
    private static final int INSIDE = ServerStatus.AUTOCOMMIT | ServerStatus.IN_TRANSACTION;
    private static final int AUTOCOMMIT_OFF = 0;

    private final TransactionWatch watch = new TransactionWatch(0);

    private void run(String sql, PacketRole end, int status) {
        byte[] text = sql.getBytes(StandardCharsets.UTF_8);
        byte[] payload = new byte[text.length + 1];
        payload[0] = CommandCode.QUERY;
        System.arraycopy(text, 0, payload, 1, text.length);
        run(payload, end, status);
    }

    private void run(byte[] payload, PacketRole end, int status) {
        watch.received(end, watch.sent(payload, payload[0]), status);
    }

    private void run(String sql, int status) {
        run(sql, PacketRole.OK, status);
    }

    @ParameterizedTest
    @CsvSource({
        "BEGIN, BEGUN",
        "begin work;, BEGUN",
        "/* driver */ START  TRANSACTION, BEGUN",
        "start transaction read only, READ_ONLY",
        "START TRANSACTION READ WRITE ;, READ_WRITE"
    })
    void isFreshAfterABeginning(String sql, FreshTransaction expected) {
        run(sql, INSIDE);
        assertThat(watch.fresh(INSIDE)).contains(expected);
        run("SELECT 1", INSIDE);
        assertThat(watch.fresh(INSIDE)).isEmpty();
    }

    @Test
    void isNotFreshAfterABeginningThatFailed() {
        run("BEGIN", PacketRole.ERROR, INSIDE);
        assertThat(watch.fresh(INSIDE)).isEmpty();
    }

    @Test
    void isNotFreshOnceASelectWasAnswered() {
        run("BEGIN", INSIDE);
        watch.answered();
        assertThat(watch.fresh(INSIDE)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"START TRANSACTION WITH CONSISTENT SNAPSHOT", "BEGIN NOT ATOMIC SELECT 1; END", "XA START 'x'"})
    void isNotFreshAfterOtherBeginnings(String sql) {
        run(sql, INSIDE);
        assertThat(watch.fresh(INSIDE)).isEmpty();
    }

    @Test
    void isFreshWithAutocommitOffWhileNoTransactionIsOpen() {
        assertThat(watch.fresh(AUTOCOMMIT_OFF)).contains(FreshTransaction.IMPLICIT);
        assertThat(watch.fresh(ServerStatus.IN_TRANSACTION)).isEmpty();
    }

    /** Statements that may set characteristics of the next transaction, or state that START TRANSACTION would drop. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
                "set @@transaction_isolation = 'SERIALIZABLE'",
                "SET @x = 1, tx_read_only = 1",
                "CALL p()",
                "EXECUTE s",
                "SAVEPOINT s",
                "/*!50000 SET TRANSACTION READ ONLY */",
                "-- x\nSET TRANSACTION READ ONLY",
                "begin not atomic set transaction read only; end"
            })
    void isNotFreshUntilATransactionHasEnded(String sql) {
        run(sql, AUTOCOMMIT_OFF);
        assertThat(watch.fresh(AUTOCOMMIT_OFF)).isEmpty();
        run("INSERT INTO t VALUES (1)", ServerStatus.IN_TRANSACTION);
        run("COMMIT", AUTOCOMMIT_OFF);
        assertThat(watch.fresh(AUTOCOMMIT_OFF)).contains(FreshTransaction.IMPLICIT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
                "SET GLOBAL TRANSACTION READ ONLY",
                "SET NAMES utf8mb4",
                "SET session_track_transaction_info = STATE",
                "SET session_track_system_variables = 'transaction_isolation,tx_read_only'",
                "SELECT * FROM transactions",
                "INSERT INTO t VALUES ('set transaction')",
                "REPLACE INTO t VALUES (1)"
            })
    void isFreshAfterOtherStatements(String sql) {
        run(sql, AUTOCOMMIT_OFF);
        assertThat(watch.fresh(AUTOCOMMIT_OFF)).contains(FreshTransaction.IMPLICIT);
    }

    @Test
    void isNotFreshWhileTablesAreLocked() {
        run("LOCK TABLES t READ", AUTOCOMMIT_OFF);
        assertThat(watch.fresh(AUTOCOMMIT_OFF)).isEmpty();
        run("SELECT 1 FROM t", ServerStatus.IN_TRANSACTION);
        run("COMMIT", AUTOCOMMIT_OFF);
        assertThat(watch.fresh(AUTOCOMMIT_OFF)).isEmpty();
        run("unlock tables", AUTOCOMMIT_OFF);
        assertThat(watch.fresh(AUTOCOMMIT_OFF)).contains(FreshTransaction.IMPLICIT);
    }

    @Test
    void isNotFreshAfterSeveralStatementsInOneCommand() {
        run("SELECT 1; SET TRANSACTION READ ONLY", OUTSIDE | ServerStatus.MORE_RESULTS);
        run("BEGIN", INSIDE);
        assertThat(watch.fresh(INSIDE)).isEmpty();
    }

    /** An error has no status flags, and its statement may have begun a transaction. */
    @Test
    void theServerIsAskedAfterAnError() {
        run("INSERT INTO t VALUES (1)", PacketRole.ERROR, AUTOCOMMIT_OFF);
        assertThat(watch.offered(AUTOCOMMIT_OFF).orElseThrow().uncertain()).isTrue();
        assertThat(watch.hidden()).isFalse();
        run("SELECT 1", AUTOCOMMIT_OFF);
        assertThat(watch.offered(AUTOCOMMIT_OFF).orElseThrow().uncertain()).isFalse();
    }

    @Test
    void aFailedProgramMayHaveBegunATransactionWithAutocommitOnToo() {
        run("CALL p()", PacketRole.ERROR, OUTSIDE);
        assertThat(watch.hidden()).isTrue();
        run("SELECT x", PacketRole.ERROR, OUTSIDE);
        assertThat(watch.hidden()).isTrue();
        run("SELECT 1", OUTSIDE);
        assertThat(watch.hidden()).isFalse();
        run(new byte[] {CommandCode.STMT_EXECUTE, 1, 0, 0, 0}, PacketRole.ERROR, OUTSIDE);
        assertThat(watch.hidden()).isFalse();
    }

    @Test
    void aFailedSetHasBegunNothing() {
        run("SET SESSION sql_mode = '', transaction_isolation = 'x'", PacketRole.ERROR, OUTSIDE);
        assertThat(watch.hidden()).isFalse();
        run("SELECT 1; CALL p()", PacketRole.ERROR, OUTSIDE | ServerStatus.MORE_RESULTS);
        assertThat(watch.hidden()).isTrue();
    }

    @Test
    void isNotFreshAfterAnExecutionOnceADoubtfulTextWasPrepared() {
        byte[] prepare = "?SET TRANSACTION READ ONLY".getBytes(StandardCharsets.UTF_8);
        prepare[0] = CommandCode.STMT_PREPARE;
        run(prepare, PacketRole.OK, AUTOCOMMIT_OFF);
        run("INSERT INTO t VALUES (1)", ServerStatus.IN_TRANSACTION);
        run("COMMIT", AUTOCOMMIT_OFF);
        assertThat(watch.fresh(AUTOCOMMIT_OFF)).contains(FreshTransaction.IMPLICIT);
        run(new byte[] {CommandCode.STMT_EXECUTE, 1, 0, 0, 0}, PacketRole.OK, AUTOCOMMIT_OFF);
        assertThat(watch.fresh(AUTOCOMMIT_OFF)).isEmpty();
    }

    @Test
    void isFreshAfterAReset() {
        run("SET TRANSACTION READ ONLY", AUTOCOMMIT_OFF);
        watch.sent(new byte[] {CommandCode.RESET_CONNECTION}, CommandCode.RESET_CONNECTION);
        assertThat(watch.fresh(AUTOCOMMIT_OFF)).contains(FreshTransaction.IMPLICIT);
    }
}
