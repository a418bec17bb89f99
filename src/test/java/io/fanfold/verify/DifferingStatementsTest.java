package io.fanfold.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.status.StatusSource.Viewer;
import io.fanfold.verify.DifferingStatements.DifferingStatement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The statements with different answers, and their reports. */
class DifferingStatementsTest {
    private static final Instant NOON = Instant.parse("2026-11-26T12:00:00.5Z");

    private final DifferingStatements statements = new DifferingStatements();

    @TempDir
    Path directory;

    private static DifferingStatement statement(String digest) {
        return new DifferingStatement(
                DifferingStatements.id(digest), "shop", "SELECT COUNT(*) FROM t\nWHERE a = ?", NOON, "values differ");
    }

    @Test
    void aStatementIsNotSplitUntilItIsAllowed() {
        assertThat(statements.contains("one")).isFalse();
        statements.add(statement("one"));
        assertThat(statements.contains("one")).isTrue();
        assertThat(statements.contains("other")).isFalse();
        assertThat(statements.allow("no such id")).isFalse();
        assertThat(statements.contains("one")).isTrue();
        assertThat(statements.allow(DifferingStatements.id("one"))).isTrue();
        assertThat(statements.contains("one")).isFalse();
        assertThat(statements.all()).isEmpty();
    }

    @Test
    void withTooManyNothingIsSplit() {
        for (int i = 0; i < DifferingStatements.MOST; i++) {
            statements.add(statement("number " + i));
        }
        assertThat(statements.contains("other")).isFalse();
        statements.add(statement("one more"));
        assertThat(statements.contains("other")).isTrue();
    }

    @Test
    void theyAreShown() {
        statements.add(statement("one"));
        String id = DifferingStatements.id("one");
        assertThat(id).matches("[0-9a-f]{16}");
        assertThat(statements.read(new Viewer("", true)).rows())
                .containsExactly(List.of(
                        id, "shop", "SELECT COUNT(*) FROM t\nWHERE a = ?", "2026-11-26T12:00:00Z", "values differ"));
        assertThat(statements.warnings())
                .containsExactly("the split answer to statement " + id + " differed from the server's: values differ");
    }

    @Test
    void theReportIsAScript() throws IOException {
        DifferenceReport report = new DifferenceReport(
                statement("one"),
                "MySQL 9.7.4",
                "verified",
                "1 rows, sent",
                "1 rows, direct",
                List.of("merge: scalar"),
                List.of("USE `shop`", "-- the server's answer", "SELECT COUNT(*) FROM t\nWHERE a = 5"));
        Path file = report.write(directory);
        assertThat(file.getFileName()).hasToString(DifferingStatements.id("one") + "-20261126-120000.sql");
        assertThat(Files.readString(file))
                .contains(
                        "-- statement: SELECT COUNT(*) FROM t WHERE a = ?\n",
                        "-- server: MySQL 9.7.4\n",
                        "-- sent by Fanfold: 1 rows, sent\n",
                        "-- by the server: 1 rows, direct\n",
                        "-- plan: merge: scalar\n")
                .endsWith("\nUSE `shop`;\n-- the server's answer\nSELECT COUNT(*) FROM t\nWHERE a = 5;\n");
        assertThat(report.text().lines().takeWhile(line -> !line.isEmpty())).allMatch(line -> line.startsWith("-- "));
    }
}
