package io.fanfold.fuzz;

import io.fanfold.demo.SqlAnswer;
import io.fanfold.demo.SqlClient;
import io.fanfold.demo.SqlFailure;
import java.io.IOException;
import java.util.List;
import java.util.Objects;

/**
 * The answer that one client received.
 *
 * @param result the rows; empty after an error
 * @param error the server's error, "" for none
 * @param lost whether the connection was lost
 */
record Answer(SqlAnswer result, String error, boolean lost) {
    private static final SqlAnswer NOTHING = new SqlAnswer(List.of(), List.of());

    static Answer rows(SqlAnswer result) {
        return new Answer(result, "", false);
    }

    static Answer failed(String error) {
        return new Answer(NOTHING, error, false);
    }

    /** Runs a statement; a missing answer is also represented as an answer. */
    static Answer of(SqlClient client, String sql) {
        try {
            return rows(client.query(sql));
        } catch (SqlFailure e) {
            return failed(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            return new Answer(NOTHING, "connection lost: " + Objects.requireNonNullElse(e.getMessage(), e), true);
        }
    }
}
