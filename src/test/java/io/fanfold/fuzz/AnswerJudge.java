package io.fanfold.fuzz;

import io.fanfold.demo.AnswerComparison;
import io.fanfold.demo.SqlAnswer;
import io.fanfold.demo.SqlClient;
import io.fanfold.fuzz.Expectation.Openness;
import io.fanfold.row.Row;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides whether two answers to one statement are both right. It compares column definitions, errors, the number of
 * warnings, the bytes of the rows, and their order as far as the statement fixes it. {@link Soundness} decides
 * which differences are allowed. Not thread-safe.
 *
 * <p>Warnings are not compared in two cases. First, if the statement has one of Fanfold's own hints, since MySQL warns
 * that it does not know it. Second, in joins with conditions: the join order that the server chooses decides for which
 * rows a condition is evaluated and may warn.
 */
final class AnswerJudge {
    private final SqlClient server;
    private final String connectionCollation;

    /**
     * Creates a judge for a server.
     *
     * @param server for additional queries, not through a proxy
     * @param connectionCollation the collation of strings that have none from a column
     */
    AnswerJudge(SqlClient server, String connectionCollation) {
        this.server = server;
        this.connectionCollation = connectionCollation;
    }

    /**
     * Compares two answers.
     *
     * @return "" if both may be right, otherwise the first difference
     */
    String difference(Statement statement, Answer expected, Answer actual) throws IOException {
        if (!expected.error().equals(actual.error())) {
            return "error direct: '" + expected.error() + "', through the proxy: '" + actual.error() + "'";
        }
        String columns = AnswerComparison.columns(
                PlanTraces.without(statement, expected.result().columns()),
                PlanTraces.without(statement, actual.result().columns()));
        if (!columns.isEmpty()) {
            return columns;
        }
        if (countsWarnings(statement)
                && expected.result().warnings() != actual.result().warnings()) {
            return expected.result().warnings() + " warnings direct, "
                    + actual.result().warnings() + " through the proxy";
        }
        return rows(statement, expected.result(), actual.result());
    }

    private static boolean countsWarnings(Statement statement) {
        boolean filteredJoin = statement instanceof Query query
                && query.sources().size() > 1
                && (!query.where().isEmpty()
                        || query.sources().stream()
                                .anyMatch(source -> source.on().size() > 1));
        return !filteredJoin && !statement.sql().contains("/*+ PARALLEL");
    }

    private String rows(Statement statement, SqlAnswer expected, SqlAnswer actual) throws IOException {
        if (expected.rows().size() != actual.rows().size()) {
            return expected.rows().size() + " rows direct, " + actual.rows().size() + " through the proxy";
        }
        Expectation expectation = statement.expectation();
        String difference = compare(expectation, new Canonical(server, List.of()), expected, expected, actual);
        if (difference.isEmpty()) {
            return "";
        }
        boolean cut = expectation.limited() && !expectation.total();
        SqlAnswer all = cut ? unlimited(statement, expected) : expected;
        List<Openness> columns = expectation.columns().stream().map(this::named).toList();
        Canonical canonical = new Canonical(server, columns);
        canonical.learn(List.of(all, expected, actual));
        return compare(expectation, canonical, all, expected, actual);
    }

    /** Returns the answer without LIMIT; or the limited one, if the additional rows raise an error. */
    private SqlAnswer unlimited(Statement statement, SqlAnswer expected) throws IOException {
        Answer all = Answer.of(server, statement.unlimited().sql());
        return all.error().isEmpty() ? all.result() : expected;
    }

    private Openness named(Openness column) {
        boolean own =
                column.kind() == Openness.Kind.STRING && column.collation().isEmpty();
        return own ? new Openness(column.kind(), connectionCollation) : column;
    }

    /** Checks that the proxy's rows are all among {@code all}, in an order that the statement allows. */
    private static String compare(
            Expectation expectation, Canonical canonical, SqlAnswer all, SqlAnswer expected, SqlAnswer actual) {
        Map<String, Integer> counts = new HashMap<>();
        canonical.rows(all).forEach(row -> counts.merge(row, 1, Integer::sum));
        List<String> rows = canonical.rows(actual);
        for (int i = 0; i < rows.size(); i++) {
            Integer left = counts.merge(rows.get(i), -1, Integer::sum);
            if (left < 0) {
                return "row only through the proxy: " + actual.rows().get(i) + "\n  direct begins " + head(expected);
            }
        }
        List<String> direct = canonical.rows(expected);
        for (int i = 0; i < rows.size(); i++) {
            boolean same = expectation.total()
                    ? direct.get(i).equals(rows.get(i))
                    : sortValues(expectation, canonical, expected.rows().get(i))
                            .equals(sortValues(
                                    expectation, canonical, actual.rows().get(i)));
            if (!same) {
                return "order differs at row " + (i + 1) + ": direct "
                        + expected.rows().get(i) + ", through the proxy "
                        + actual.rows().get(i);
            }
        }
        return "";
    }

    private static List<String> sortValues(Expectation expectation, Canonical canonical, Row row) {
        List<String> values = new ArrayList<>();
        expectation.sorted().forEach(column -> values.add(canonical.value(row, column)));
        return values;
    }

    private static String head(SqlAnswer answer) {
        return answer.rows().stream().limit(5).map(Row::toString).toList().toString();
    }
}
