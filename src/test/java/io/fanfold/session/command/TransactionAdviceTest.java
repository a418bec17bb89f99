package io.fanfold.session.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransactionAdviceTest {
    private final List<String> lines = new ArrayList<>();
    private long time = -5;
    private final TransactionAdvice advice = new TransactionAdvice(() -> time, lines::add);

    @Test
    void namesTheRemedy() {
        advice.advise("me", "session 7 of me", false);
        advice.advise("you", "session 8 of you in shop", true);
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).startsWith("session 7 of me: ").contains("Run reports first", "autocommit=True");
        assertThat(lines.get(1)).startsWith("session 8 of you in shop: ").contains("outside BEGIN ... COMMIT");
    }

    @Test
    void warnsOnceAnHourPerUser() {
        for (int minute = 0; minute < 180; minute++) {
            advice.advise("me", "session " + minute, false);
            time += Duration.ofMinutes(1).toNanos();
        }
        assertThat(lines).hasSize(3);
    }

    @Test
    void remembersABoundedNumberOfUsers() {
        for (int i = 0; i < 3 * TransactionAdvice.MOST_USERS; i++) {
            advice.advise("user" + i, "session", false);
        }
        assertThat(lines).hasSize(3 * TransactionAdvice.MOST_USERS);
        advice.advise("user" + (3 * TransactionAdvice.MOST_USERS - 1), "session", false);
        assertThat(lines).hasSize(3 * TransactionAdvice.MOST_USERS);
        advice.advise("user0", "session", false);
        assertThat(lines).hasSize(3 * TransactionAdvice.MOST_USERS + 1);
    }
}
