package io.fanfold.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.observe.StatementFile.FileStatement;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class StatementFileTest {
    private static List<FileStatement> read(String text) throws IOException {
        return StatementFile.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "start", 1 << 16);
    }

    @Test
    void splitsAtSemicolonsOutsideOfQuotesAndComments() throws IOException {
        assertThat(read("""
                        -- reports; all of them
                        SELECT 'a;''b\\';' AS `x;y`, "c;" /* d; */ FROM t; SELECT 2 FROM t # e;
                        ;
                        USE `shop`;
                        with x as (select 1) select * from x;
                        INSERT INTO t VALUES (1);
                        SELECT 'a;''b\\';' AS `x;y`, "c;" /* d; */ FROM t;
                        (SELECT 3 FROM t)"""))
                .containsExactly(
                        new FileStatement("start", "SELECT 'a;''b\\';' AS `x;y`, \"c;\" /* d; */ FROM t"),
                        new FileStatement("start", "SELECT 2 FROM t # e;"),
                        new FileStatement("shop", "with x as (select 1) select * from x"),
                        new FileStatement("shop", "SELECT 'a;''b\\';' AS `x;y`, \"c;\" /* d; */ FROM t"),
                        new FileStatement("shop", "(SELECT 3 FROM t)"));
    }

    @Test
    void readsTheSelectsOfASlowLogOnce() throws IOException {
        try (InputStream log = Objects.requireNonNull(StatementFileTest.class.getResourceAsStream("mysql-slow.txt"))) {
            List<FileStatement> statements = StatementFile.read(log, "", 1 << 16);
            assertThat(statements).isNotEmpty().doesNotHaveDuplicates();
            assertThat(statements)
                    .allMatch(one -> one.sql().strip().toLowerCase(Locale.ROOT).matches("(?s)[(]*(select|with).*"));
        }
    }

    @Test
    void showsAStatementInOneLine() {
        assertThat(StatementFile.line(" SELECT 1\n  FROM t ", 100)).isEqualTo("SELECT 1 FROM t");
        assertThat(StatementFile.line("SELECT 1 FROM t", 10)).isEqualTo("SELECT ...");
    }
}
