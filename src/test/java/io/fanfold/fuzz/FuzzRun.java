package io.fanfold.fuzz;

import io.fanfold.demo.SqlClient;
import io.fanfold.fuzz.StatementGenerator.Generated;
import io.fanfold.metrics.FanOutReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Runs statements directly and through proxies, and compares the answers. Not thread-safe. */
public final class FuzzRun implements AutoCloseable {
    /** The time limit for an answer. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final int SHRINK_TRIES = 1500;

    /** The number of statements in one transaction, if there are transactions. */
    private static final int OF_TRANSACTION = 3;

    private static final List<String> LEVELS = List.of("REPEATABLE READ", "READ COMMITTED");

    private final String database;
    private final long seed;
    private final boolean transactions;
    private final PrintWriter out;
    private final SqlClient questions;
    private final Line direct;
    private final List<Line> lines = new ArrayList<>();
    private final StatementGenerator generator;
    private final AnswerJudge judge;

    /** A connection that is reopened after it was lost. */
    private final class Line implements AutoCloseable {
        private final Subject subject;
        private SqlClient client;

        Line(Subject subject) throws IOException {
            this.subject = subject;
            this.client = open(subject);
        }

        Answer ask(String sql) throws IOException {
            Answer answer = Answer.of(client, sql);
            if (answer.lost()) {
                client.close();
                client = open(subject);
            } else {
                client.ping();
            }
            return answer;
        }

        void begin(String level) throws IOException {
            client.execute("COMMIT");
            client.execute("SET SESSION TRANSACTION ISOLATION LEVEL " + level);
        }

        @Override
        public void close() {
            client.close();
        }
    }

    /**
     * Opens the connections.
     *
     * @param server not through a proxy
     * @param proxies the proxies under test
     * @param database created by {@link FuzzDatabase} before the proxies were started
     * @param stars the percentage of FROM clauses that are star joins, 0 to 100
     * @param ranges whether the statements are for tables that are split by ranges of a key
     * @param transactions whether statements run in transactions, at both isolation levels that use read views
     * @param out receives the differences
     */
    public FuzzRun(
            Subject server,
            List<Subject> proxies,
            String database,
            long seed,
            int stars,
            boolean ranges,
            boolean transactions,
            PrintWriter out)
            throws IOException {
        this.transactions = transactions;
        this.database = database;
        this.seed = seed;
        this.out = out;
        this.questions = open(server);
        this.direct = new Line(server);
        for (Subject proxy : proxies) {
            lines.add(new Line(proxy));
        }
        this.generator = new StatementGenerator(seed, stars, ranges, FuzzDatabase.flavor(questions));
        String collation = questions.query("SELECT @@collation_connection").first();
        this.judge = new AnswerJudge(questions, Objects.requireNonNullElse(collation, "utf8mb4_general_ci"));
    }

    private SqlClient open(Subject subject) throws IOException {
        SqlClient client = subject.connect();
        client.patience(PATIENCE);
        client.execute("USE `" + database + "`");
        if (transactions) {
            client.execute("SET autocommit = 0");
        }
        return client;
    }

    /**
     * Runs statements one after the other.
     *
     * @param first the number of the first one, from 1
     */
    public FuzzSummary run(long first, long count, FuzzSummary summary) throws IOException {
        for (long number = first; number < first + count; number++) {
            if (transactions && (number == first || number % OF_TRANSACTION == 0)) {
                begin(LEVELS.get((int) (number / OF_TRANSACTION % LEVELS.size())));
            }
            run(generator.statement(number), summary);
        }
        return summary;
    }

    /** Makes the next statement of each connection begin a transaction. */
    private void begin(String level) throws IOException {
        direct.begin(level);
        for (Line line : lines) {
            line.begin(level);
        }
    }

    /** The text of a statement. */
    public String sql(long number) {
        return generator.statement(number).sql();
    }

    private void run(Generated generated, FuzzSummary summary) throws IOException {
        Statement statement = generated.statement();
        Answer expected = direct.ask(generated.sql());
        summary.statement(!expected.error().isEmpty());
        boolean different = false;
        for (Line line : lines) {
            Answer actual = line.ask(generated.sql());
            FanOutReport report = line.subject.report();
            summary.run(report, generated.starJoin());
            String difference = judge.difference(statement, expected, actual);
            if (difference.isEmpty() || different) {
                continue;
            }
            different = true;
            if (!report.fannedOut()) {
                summary.ownAnswer();
                out.println(
                        "statement " + generated.number() + " has another answer in another session, passed through: "
                                + report.reason() + ": " + generated.sql());
            } else if (judge.difference(statement, expected, direct.ask(generated.sql()))
                    .isEmpty()) {
                summary.difference();
                print(generated, line, report, difference);
            } else {
                summary.unstable();
                out.println("statement " + generated.number() + " has no certain answer direct: " + generated.sql());
            }
        }
    }

    private void print(Generated generated, Line line, FanOutReport report, String difference) throws IOException {
        out.println("\nDIFFERENCE in statement " + generated.number() + " of seed " + seed + ", "
                + line.subject.name() + ", "
                + (report.fannedOut() ? "fanned out" : "passed through: " + report.reason()));
        out.println(difference);
        out.println("  " + generated.sql());
        out.flush();
        Statement small =
                new Shrinker(statement -> differs(line, statement), SHRINK_TRIES).shrink(generated.statement());
        String found = judge.difference(small, direct.ask(small.sql()), line.ask(small.sql()));
        out.println("smallest form:\n  " + small.sql() + "\n" + found + "\n");
        out.flush();
    }

    /** Whether a statement differs. If the server's own answers differ from each other, any of them is right. */
    private boolean differs(Line line, Statement statement) throws IOException {
        Answer expected = direct.ask(statement.sql());
        Answer actual = line.ask(statement.sql());
        return !judge.difference(statement, expected, actual).isEmpty()
                && judge.difference(statement, expected, direct.ask(statement.sql()))
                        .isEmpty();
    }

    @Override
    public void close() {
        lines.forEach(Line::close);
        direct.close();
        questions.close();
    }
}
