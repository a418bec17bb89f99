package io.fanfold.binlog;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatementKindTest {
    @ParameterizedTest
    @ValueSource(strings = {"BEGIN", "XA START X'61',X'',1"})
    void begins(String text) {
        assertThat(StatementKind.of(text)).isEqualTo(StatementKind.BEGIN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"COMMIT", "ROLLBACK"})
    void ends(String text) {
        assertThat(StatementKind.of(text)).isEqualTo(StatementKind.END);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SAVEPOINT `s`",
                "ROLLBACK TO `s`",
                "XA END X'61',X'',1",
                "ANALYZE TABLE t",
                "analyze\n table t",
                "FLUSH TABLES",
                "GRANT SELECT ON d.* TO u",
                "revoke select on d.* from u",
                "CREATE USER 'u'@'%' IDENTIFIED WITH 'caching_sha2_password' AS '$A$005$;/*x'",
                "ALTER USER u IDENTIFIED BY 'x'",
                "DROP USER u",
                "RENAME USER u TO v",
                "CREATE ROLE r",
                "DROP ROLE r",
                "SET PASSWORD FOR u = 'x'"
            })
    void harmless(String text) {
        assertThat(StatementKind.of(text)).isEqualTo(StatementKind.HARMLESS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "INSERT INTO t VALUES (1)",
                "TRUNCATE TABLE t",
                "TRUNCATE",
                "XA COMMIT X'61',X'',1",
                "XA ROLLBACK X'61',X'',1",
                "ANALYZE UPDATE t SET v = 1",
                "ANALYZE FORMAT=JSON DELETE FROM t",
                "SET STATEMENT max_statement_time = 1 FOR DELETE FROM t",
                "CREATE TABLE user (id INT)",
                "DROP TABLE role",
                "ALTER TABLE user ADD x INT",
                "BEGIN NOT ATOMIC DELETE FROM t; END",
                "COMMIT AND CHAIN",
                "/*!50000 DROP */ USER u",
                "# Dummy event replacing event type 160 that slave cannot handle.",
                "GRANT",
                "START TRANSACTION"
            })
    void unplaced(String text) {
        assertThat(StatementKind.of(text)).isEqualTo(StatementKind.UNPLACED);
    }
}
