package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StatementHistoryTest {
    private final RecentRefusals refusals = new RecentRefusals();
    private final ExecutionHistory history = new ExecutionHistory();

    /** A text that is remembered is not looked at. */
    @Test
    void aLongStatementThatIsNoSlowerUnsplitIsLookedAtEachTime() {
        StatementHistory statement = new StatementHistory(
                refusals,
                history,
                new FailedAttempts(System::nanoTime),
                "SELECT 1".getBytes(StandardCharsets.UTF_8),
                "d",
                "q",
                "SELECT ?",
                false,
                true);
        history.direct("q", Duration.ofSeconds(1).toNanos());
        statement.rememberUnasked(new Refusal(Reason.MEASURED, ""));
        assertThat(refusals.byDigest("q")).isEmpty();
        history.direct("q", Duration.ofMillis(1).toNanos());
        statement.rememberUnasked(new Refusal(Reason.MEASURED, ""));
        assertThat(refusals.byDigest("q")).contains(Reason.MEASURED);
    }
}
