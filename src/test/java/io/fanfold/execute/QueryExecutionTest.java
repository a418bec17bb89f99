package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.execute.QueryExecution.Cancel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueryExecutionTest {
    /** Rows: the first reason, the second reason, the one that counts. */
    @ParameterizedTest
    @CsvSource({
        "SLOWER, KILLED, KILLED",
        "SLOWER, CLIENT_GONE, CLIENT_GONE",
        "SLOWER, FAILED, SLOWER",
        "FAILED, SLOWER, FAILED",
        "FAILED, LATE, LATE",
        "KILLED, SLOWER, KILLED",
        "LATE, STOPPING, LATE"
    })
    void theFirstReasonCountsUnlessItOnlyPassesTheStatementThrough(Cancel first, Cancel second, Cancel counts) {
        QueryExecution query = new QueryExecution(7, Runnable::run);
        query.cancel(first);
        query.cancel(second);
        assertThat(query.cancelled()).isEqualTo(counts);
        assertThat(query.cancelledWithoutFailure()).isEqualTo(counts != Cancel.FAILED);
    }
}
