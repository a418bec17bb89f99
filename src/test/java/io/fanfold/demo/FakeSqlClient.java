package io.fanfold.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A client that records its statements and returns prepared answers. Any other query gets an empty answer. */
final class FakeSqlClient implements SqlClient {
    final List<String> statements = new ArrayList<>();
    private final Map<String, SqlAnswer> answers = new LinkedHashMap<>();
    private final Map<String, Integer> failures = new LinkedHashMap<>();
    private boolean closed;

    /** Sets the answer to each query with this prefix. */
    FakeSqlClient answer(String start, SqlAnswer answer) {
        answers.put(start, answer);
        return this;
    }

    /** Sets the error of each statement with this prefix. */
    FakeSqlClient fail(String start, int errno) {
        failures.put(start, errno);
        return this;
    }

    boolean closed() {
        return closed;
    }

    @Override
    public void execute(String sql) throws IOException {
        statements.add(sql);
        for (Map.Entry<String, Integer> failure : failures.entrySet()) {
            if (sql.startsWith(failure.getKey())) {
                throw new SqlFailure(failure.getValue(), "HY000", "refused");
            }
        }
    }

    @Override
    public SqlAnswer query(String sql) throws IOException {
        execute(sql);
        return answers.entrySet().stream()
                .filter(answer -> sql.startsWith(answer.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(new SqlAnswer(List.of(), List.of()));
    }

    @Override
    public void ping() {
        statements.add("ping");
    }

    @Override
    public void patience(Duration longest) {
        statements.add("patience " + longest);
    }

    @Override
    public String serverVersion() {
        return "fake";
    }

    @Override
    public void close() {
        closed = true;
    }
}
