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
        StatementHistory statement = statement(true);
        history.direct("q", Duration.ofSeconds(1).toNanos());
        statement.rememberUnasked(new Refusal(Reason.MEASURED, ""));
        assertThat(refusals.byDigest("q")).isEmpty();
        history.direct("q", Duration.ofMillis(1).toNanos());
        statement.rememberUnasked(new Refusal(Reason.MEASURED, ""));
        assertThat(refusals.byDigest("q")).contains(Reason.MEASURED);
    }

    /** Another account may split the table. */
    @Test
    void aTableThatIsSwitchedOffForAnAccountIsNotRememberedForOthers() {
        Refusal refusal = new Refusal(Reason.TABLE_DISABLED, "", Refusal.Remedy.NONE, Refusal.HoldsFor.MOMENT);
        statement(false).remember(refusal);
        assertThat(refusals.byDigest("q")).isEmpty();
        statement(true).remember(refusal);
        assertThat(refusals.byDigest("q")).contains(Reason.TABLE_DISABLED);
    }

    private StatementHistory statement(boolean sameForAll) {
        return new StatementHistory(
                refusals,
                history,
                new FailedAttempts(System::nanoTime),
                "SELECT 1".getBytes(StandardCharsets.UTF_8),
                "d",
                "q",
                "SELECT ?",
                false,
                sameForAll);
    }
}
