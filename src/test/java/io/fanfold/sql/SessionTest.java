package io.fanfold.sql;

import static io.fanfold.reason.Refusals.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.RefusedException;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SessionTest {
    private static final Charset LATIN1 = SessionCharset.javaCharset("latin1").orElseThrow();

    @ParameterizedTest
    @CsvSource({"utf8mb4,UTF-8", "UTF8MB3,UTF-8", "utf8,UTF-8", "latin1,windows-1252", "ascii,US-ASCII"})
    void knowsSafeCharsets(String name, String java) {
        assertThat(SessionCharset.javaCharset(name)).contains(Charset.forName(java));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sjis", "cp932", "gbk", "gb2312", "gb18030", "big5", "eucjpms", "ucs2", "utf16", "binary", "latin2", ""
            })
    void knowsNoOtherCharsets(String name) {
        assertThat(SessionCharset.javaCharset(name)).isEmpty();
    }

    @Test
    void decodesWithoutLossOrNotAtAll() {
        byte[] utf8 = "größe €".getBytes(StandardCharsets.UTF_8);
        assertThat(SessionCharset.decode(utf8, StandardCharsets.UTF_8)).contains("größe €");
        assertThat(SessionCharset.decode(utf8, 0, 4, StandardCharsets.UTF_8)).contains("grö");
        assertThat(SessionCharset.decode(utf8, 0, 3, StandardCharsets.UTF_8)).isEmpty();
        assertThat(SessionCharset.decode(utf8, StandardCharsets.US_ASCII)).isEmpty();
        assertThat(SessionCharset.decode(new byte[] {(byte) 0x80}, LATIN1)).contains("€");
        assertThat(SessionCharset.decode(new byte[] {(byte) 0x81}, LATIN1)).isEmpty();
        assertThat(SessionCharset.decode(new byte[] {(byte) 0xc0, (byte) 0xaf}, StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(SessionCharset.decode(new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80}, StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(SessionCharset.decode(new byte[0], StandardCharsets.UTF_8)).contains("");
    }

    @Test
    void everyDefaultModeIsFine() throws RefusedException {
        String mysql = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,"
                + "ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";
        assertThat(DialectOfSession.of(mysql, ServerFlavor.MYSQL, "utf8mb4"))
                .isEqualTo(new SqlDialect(ServerFlavor.MYSQL, false, false, StandardCharsets.UTF_8));
        String mariaDb = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION";
        assertThat(DialectOfSession.of(mariaDb, ServerFlavor.MARIADB, "latin1"))
                .isEqualTo(new SqlDialect(ServerFlavor.MARIADB, false, false, LATIN1));
        assertThat(DialectOfSession.of("", ServerFlavor.MYSQL, "ascii")).isNotNull();
    }

    @Test
    void modesThatChangeTheLexerChangeTheDialect() throws RefusedException {
        assertThat(DialectOfSession.of(
                        "ansi_quotes, NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT,IGNORE_SPACE",
                        ServerFlavor.MYSQL,
                        "utf8mb4"))
                .isEqualTo(new SqlDialect(ServerFlavor.MYSQL, true, true, StandardCharsets.UTF_8));
    }

    /** The mode changes only calls with a blank before the parenthesis, and these are refused: see refusals.txt. */
    @Test
    void ignoredSpacesAreFine() throws RefusedException {
        assertThat(DialectOfSession.of("IGNORE_SPACE,STRICT_TRANS_TABLES", ServerFlavor.MARIADB, "utf8mb4"))
                .isEqualTo(new SqlDialect(ServerFlavor.MARIADB, false, false, StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HIGH_NOT_PRECEDENCE",
                "ORACLE",
                "MSSQL",
                "DB2",
                "MAXDB",
                "POSTGRESQL",
                "MYSQL40",
                "ANSI",
                "EMPTY_STRING_IS_NULL",
                "A_MODE_OF_THE_FUTURE"
            })
    void otherModesAreRefused(String mode) {
        assertThat(refusalOf(() -> DialectOfSession.of("ONLY_FULL_GROUP_BY," + mode, ServerFlavor.MARIADB, "utf8mb4")))
                .isEqualTo(new Refusal(Reason.SQL_MODE, mode));
    }

    @Test
    void otherCharsetsAreRefused() {
        assertThat(refusalOf(() -> DialectOfSession.of("", ServerFlavor.MYSQL, "sjis")))
                .isEqualTo(new Refusal(Reason.CHARSET, "sjis"));
    }
}
