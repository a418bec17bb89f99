package io.fanfold.observe;

import io.fanfold.client.ServerException;
import io.fanfold.metrics.FanOutReport;
import io.fanfold.metrics.VerifyReport;
import io.fanfold.metrics.VerifyResult;
import io.fanfold.observe.StatementFile.FileStatement;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Runs statements both ways: split by a {@link LocalProxy} that verifies all of them, and without a split on one of its
 * workers, in the same snapshot. For one thread.
 */
public final class BothWays {
    private final LocalProxy proxy;
    private final Account account;

    /**
     * A statement that was run.
     *
     * @param sql its text in one line
     * @param split whether it was split
     * @param outcome if it was split, the result of the verification; otherwise the reason, or the server's error
     * @param directNanos how long the server took; 0 if that is not known
     * @param fanfoldNanos how long the client waited for its answer through the proxy
     */
    public record RunStatement(
            String sql, boolean split, String outcome, boolean different, long directNanos, long fanfoldNanos) {}

    /**
     * Runs the statements of an account.
     *
     * @param proxy verifies every split
     */
    public BothWays(LocalProxy proxy, Account account) {
        this.proxy = proxy;
        this.account = account;
    }

    /**
     * Runs the SELECTs of a file: a slow query log, or statements that end with semicolons.
     *
     * @param schema the schema until the file names another; "" for none
     * @param each receives each result
     * @return the number of statements
     */
    public int run(InputStream file, String schema, Consumer<RunStatement> each) throws IOException {
        List<FileStatement> statements =
                StatementFile.read(file, schema, proxy.config().limits().statementBytes());
        ExplainClient client = LoadExplainer.login(proxy, account);
        try {
            for (FileStatement statement : statements) {
                if (statement.schema().isEmpty() && !client.schema().isEmpty()) {
                    // a session cannot leave its schema
                    client.close();
                    client = LoadExplainer.login(proxy, account);
                }
                each.accept(run(client, statement));
            }
        } finally {
            client.close();
        }
        return statements.size();
    }

    private RunStatement run(ExplainClient client, FileStatement statement) throws IOException {
        long start = System.nanoTime();
        try {
            if (!statement.schema().isEmpty()) {
                client.use(statement.schema());
            }
            start = System.nanoTime();
            client.run(statement.sql());
        } catch (ServerException e) {
            return new RunStatement(line(statement), false, "error " + e.errno() + ": " + e.getMessage(), false, 0, 0);
        }
        long nanos = System.nanoTime() - start;
        FanOutReport report = proxy.lastFanOut();
        if (!report.fannedOut()) {
            return new RunStatement(line(statement), false, report.reason(), false, nanos, nanos);
        }
        Optional<VerifyReport> verified = verification();
        VerifyResult result = verified.map(VerifyReport::result).orElse(VerifyResult.UNFINISHED);
        return new RunStatement(
                line(statement),
                true,
                result.label(),
                result == VerifyResult.DIFFERENT,
                verified.map(VerifyReport::directNanos).orElse(0L),
                nanos);
    }

    private static String line(FileStatement statement) {
        return StatementFile.line(statement.sql(), 1000);
    }

    private Optional<VerifyReport> verification() throws IOException {
        // a verification ends itself in this time; further seconds are for the kill
        long most = proxy.config().verify().time().toMillis() + 10_000;
        try {
            return Optional.of(proxy.lastVerification().get(most, TimeUnit.MILLISECONDS));
        } catch (TimeoutException | ExecutionException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
