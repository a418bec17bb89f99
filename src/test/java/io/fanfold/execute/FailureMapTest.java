package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.client.ServerException;
import io.fanfold.execute.ClientConnection.ClientGoneException;
import io.fanfold.execute.FailureMap.StatementEnd;
import io.fanfold.execute.QueryExecution.Cancel;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.operator.MergeException;
import io.fanfold.operator.MergeException.MergeFailure;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.wire.ServerFlavor;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each failure of a fan-out means for its statement. */
class FailureMapTest {
    @Test
    void aCancelledQueryIsNeverTheCause() {
        RefusedException cancelled = FailureMap.cancelled();
        RefusedException killed = FailureMap.of(new ServerException(1317, "70100", "Query execution was interrupted"));
        RefusedException refused = FailureMap.of(new ServerException(1690, "22003", "BIGINT value is out of range"));
        RefusedException warned = new RefusedException(Reason.WARNINGS, "2 in one partition query");
        List<RefusedException> rising = List.of(cancelled, killed, refused);

        for (int i = 0; i < rising.size(); i++) {
            for (int k = 0; k < rising.size(); k++) {
                assertThat(FailureMap.cause(rising.get(k), rising.get(i)))
                        .as("%s, %s", rising.get(i), rising.get(k))
                        .isSameAs(rising.get(Math.max(i, k)));
            }
        }
        assertThat(FailureMap.cause(killed, warned)).isSameAs(warned);
        assertThat(FailureMap.cause(refused, warned)).as("the first counts").isSameAs(refused);
        assertThat(FailureMap.cause(warned, refused)).as("the first counts").isSameAs(warned);
    }

    @Test
    void failuresAreRefusalsWithTheirCause() {
        ServerException error = new ServerException(1690, "22003", "BIGINT value is out of range");
        RefusedException known = new RefusedException(Reason.VALUE, "x");
        assertThat(FailureMap.of(known)).isSameAs(known);
        assertThat(FailureMap.of(error))
                .hasMessage("1690: BIGINT value is out of range")
                .hasCause(error);
        assertThat(FailureMap.of(error).reason()).isEqualTo(Reason.WORKER_ERROR);
        assertThat(FailureMap.of(new IOException("cut")).reason()).isEqualTo(Reason.WORKER_ERROR);
        try (MemoryBudget budget = MemoryBudget.ofProcess(1)) {
            assertThatThrownBy(() -> budget.reserve(2))
                    .isInstanceOfSatisfying(
                            Exception.class,
                            full -> assertThat(FailureMap.of(full).reason()).isEqualTo(Reason.MEMORY));
        }
        assertThat(FailureMap.of(new MergeException(MergeFailure.TOO_MANY_ROWS, "9"))
                        .reason())
                .isEqualTo(Reason.FINAL_QUERY_FAILED);
        assertThat(FailureMap.of(new MergeException(MergeFailure.MALFORMED_VALUE, "9"))
                        .reason())
                .isEqualTo(Reason.VALUE);
    }

    @Test
    void someFailuresCancelTheWholeStatement() {
        assertThat(FailureMap.cancels(FailureMap.of(new ServerException(3024, "HY000", "maximum time exceeded"))))
                .isEqualTo(Cancel.LATE);
        assertThat(FailureMap.cancels(FailureMap.of(new ServerException(1969, "70100", "maximum time exceeded"))))
                .isEqualTo(Cancel.LATE);
        assertThat(FailureMap.cancels(new KilledException("1317"))).isEqualTo(Cancel.KILLED);
        assertThat(FailureMap.cancels(FailureMap.of(new ServerException(1317, "70100", "interrupted"))))
                .as("a worker's statement may have been killed by itself")
                .isNull();
    }

    /** Rows: the reason of the failure; why the statement was cancelled; what the client gets. */
    @ParameterizedTest
    @CsvSource({
        "WORKER_ERROR, , passed through",
        "WORKER_ERROR, FAILED, passed through",
        "MEASURED, SLOWER, passed through",
        "WORKER_ERROR, KILLED, 1317",
        "WORKER_ERROR, LATE, 3024",
        "WORKER_ERROR, STOPPING, 1053",
        "INTERNAL, CLIENT_GONE, 1317",
        "CLIENT_LOST, , passed through",
        "CLIENT_LOST, CLIENT_GONE, passed through",
        "CLIENT_LOST, KILLED, passed through"
    })
    void beforeTheAnswerTheServerAnswersUnlessTheStatementWasCancelled(
            Reason reason, @Nullable Cancel cancelled, String expected) {
        StatementEnd end = FailureMap.beforeAnswer(new RefusedException(reason, "why"), cancelled, ServerFlavor.MYSQL);
        assertThat(end)
                .isEqualTo(
                        expected.equals("passed through")
                                ? new StatementEnd.PassedThrough(reason, "why")
                                : new StatementEnd.Cancelled(
                                        String.valueOf(cancelled), Interruption.of(cancelled, ServerFlavor.MYSQL)));
        if (end instanceof StatementEnd.Cancelled cut) {
            assertThat(cut.error().errno()).hasToString(expected);
        }
    }

    @Test
    void duringTheAnswerTheClientGetsAnError() {
        ServerException error = new ServerException(1690, "22003", "BIGINT value is out of range");
        assertThat(during(FailureMap.of(error), null)).isEqualTo("1690 22003 BIGINT value is out of range");
        assertThat(during(FailureMap.of(error), Cancel.FAILED)).startsWith("1690 ");
        assertThat(during(FailureMap.of(error), Cancel.SLOWER)).startsWith("1690 ");
        assertThat(during(FailureMap.of(error), Cancel.KILLED)).startsWith("1317 ");
        assertThat(during(FailureMap.of(error), Cancel.LATE)).startsWith("1969 70100 ");
        assertThat(during(FailureMap.cancelled(), Cancel.STOPPING)).isEqualTo("1053 08S01 Server shutdown in progress");
        assertThat(during(new RefusedException(Reason.WARNINGS, "2"), null))
                .isEqualTo("1105 HY000 the answer broke off: " + Reason.WARNINGS.sentence() + " (2)");
        assertThat(during(new InterruptedException(), null)).startsWith("1053 ");
        assertThat(during(new IllegalStateException("x"), null)).startsWith("1105 HY000 the answer broke off: ");
        assertThat(during(new ClientGoneException("it left"), Cancel.CLIENT_GONE))
                .isEqualTo("it left");
    }

    private static String during(Throwable failure, @Nullable Cancel cancelled) {
        StatementEnd end = FailureMap.duringAnswer(failure, cancelled, ServerFlavor.MARIADB);
        if (end instanceof StatementEnd.ClientLeft left) {
            return left.why();
        }
        Interruption sent =
                end instanceof StatementEnd.BrokenOff broken ? broken.error() : ((StatementEnd.Cancelled) end).error();
        return sent.errno() + " " + sent.sqlState() + " " + sent.message();
    }
}
