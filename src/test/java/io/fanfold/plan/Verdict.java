package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import java.util.List;

/** Holds statements over the tables of the golden plans to whether they are split. */
final class Verdict {
    private static final String ON_MARIADB = "mariadb: ";

    private Verdict() {}

    /** On MySQL, or behind {@code mariadb: } on that server. */
    static void assertSplit(String... lines) {
        for (String line : lines) {
            assertThat(finish(line)).as(line).startsWith("answer: ");
        }
    }

    static void assertRefused(Reason reason, String... lines) {
        for (String line : lines) {
            assertThat(finish(line)).as(line).isEqualTo("refused: " + reason);
        }
    }

    /** Of statements that MariaDB alone computes in several ways. */
    static void assertRefusedOnMariaDbOnly(Reason reason, String... statements) {
        for (String statement : statements) {
            assertSplit(statement);
            assertRefused(reason, ON_MARIADB + statement);
        }
    }

    /** Of statements that MySQL alone computes in several ways. */
    static void assertRefusedOnMySqlOnly(Reason reason, String... statements) {
        for (String statement : statements) {
            assertSplit(ON_MARIADB + statement);
            assertRefused(reason, statement);
        }
    }

    static void assertRefusedOnBoth(Reason reason, String... statements) {
        for (String statement : statements) {
            assertRefused(reason, statement, ON_MARIADB + statement);
        }
    }

    static void assertSplitOnBoth(String... statements) {
        for (String statement : statements) {
            assertSplit(statement, ON_MARIADB + statement);
        }
    }

    /** The last line of a plan: how it is finished, or the refusal. */
    static String finish(String line) {
        List<String> plan = GoldenPlanTest.plan(line);
        return plan.get(plan.size() - 1);
    }
}
