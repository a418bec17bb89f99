package io.fanfold.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fanfold.inspect.Inspection;
import io.fanfold.metrics.FanOutReport;
import io.fanfold.metrics.VerifyReport;
import io.fanfold.server.RunningProxy;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class QueryComparisonTest {
    private static final DemoQuery QUERY = DemoQuery.unordered("q", "SELECT 1");
    private static final FanOutReport REPORT = FanOutReport.split(8, 2, "verified", 0);

    private final FakeSqlClient direct = new FakeSqlClient();
    private final FakeSqlClient proxied = new FakeSqlClient();

    @Test
    void warmsUpAndSendsTheSameTextToBothByTurns() throws IOException {
        QueryComparison.Outcome outcome = run();
        // an immediate answer takes the maximum of warm-up runs: 40 turns, 200 of the proxy alone, and 3 measured runs
        assertThat(direct.statements).hasSize(43).containsOnly("SELECT 1");
        assertThat(proxied.statements).hasSize(2 * 243).startsWith("SELECT 1", "ping", "SELECT 1", "ping");
        assertThat(outcome.same()).isTrue();
        assertThat(outcome.report()).isEqualTo(REPORT);
    }

    @Test
    void oneDifferentAnswerIsADifference() throws IOException {
        direct.answer("SELECT 1", AnswerComparisonTest.answer("a|1"));
        proxied.answer("SELECT 1", AnswerComparisonTest.answer("a|2"));
        assertThat(run().difference()).isEqualTo("row only through the proxy: a|2");
    }

    @Test
    void anErrorThroughTheProxyIsADifference() throws IOException {
        proxied.fail("SELECT", 1064);
        assertThat(run().difference()).isEqualTo("error 1064 (HY000): refused");
    }

    @Test
    void anErrorOfTheServerEndsTheRun() {
        direct.fail("SELECT", 1146);
        assertThatExceptionOfType(SqlFailure.class).isThrownBy(this::run);
    }

    @Test
    void theMedianIsTheMiddleValue() {
        assertThat(QueryComparison.median(new long[] {9, 1, 5})).isEqualTo(5);
        assertThat(QueryComparison.median(new long[] {4})).isEqualTo(4);
    }

    private QueryComparison.Outcome run() throws IOException {
        RunningProxy proxy = new RunningProxy() {
            @Override
            public CompletableFuture<Void> broken() {
                return new CompletableFuture<>();
            }

            @Override
            public int port() {
                return 1;
            }

            @Override
            public Inspection inspection() {
                return new Inspection(List.of(), List.of(), true);
            }

            @Override
            public CompletableFuture<VerifyReport> lastVerification() {
                return new CompletableFuture<>();
            }

            @Override
            public FanOutReport lastFanOut() {
                return REPORT;
            }

            @Override
            public void close() {
                // nothing was opened
            }
        };
        return new QueryComparison(
                        direct, proxied, proxy, new SentRows(endpoint -> direct, List.of()), 3, QueryComparison.WARM_UP)
                .run(QUERY);
    }
}
