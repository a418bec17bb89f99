package io.fanfold.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import java.util.List;

/** Asserts whether statements over the tables of the golden plans are split. */
final class Verdict {
    private static final String ON_MARIADB = "mariadb: ";

    private Verdict() {}

    /** Asserts that the statements are split on MySQL, or on MariaDB after {@code mariadb:}. */
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

    /** Asserts a refusal on MariaDB only, because it has several ways to compute the statement. */
    static void assertRefusedOnMariaDbOnly(Reason reason, String... statements) {
        for (String statement : statements) {
            assertSplit(statement);
            assertRefused(reason, ON_MARIADB + statement);
        }
    }

    /** Asserts a refusal on MySQL only, because it has several ways to compute the statement. */
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

    /** Returns the last line of a plan: its final query, or the refusal. */
    static String finish(String line) {
        List<String> plan = GoldenPlanTest.plan(line);
        return plan.get(plan.size() - 1);
    }
}
