package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DigestTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "SELECT a FROM t WHERE b = 12|SELECT a FROM t WHERE b = ?",
                "b = 1.5e3 AND c = 0x1F|b = ? AND c = ?",
                "t1.c2 = 3|t1.c2 = ?",
                "c_1 = 1 AND d$2 = 2|c_1 = ? AND d$2 = ?",
                "b = 'x' OR b = \"y\"|b = ? OR b = ?",
                "b = 'it\\'s' AND 1|b = ? AND ?",
                "b = 'it''s' AND 1|b = ? AND ?",
                "b = '' AND c|b = ? AND c",
                "b = 'open|b = ?",
                "b = 'open\\|b = ?",
                "`it's` = 1 AND a|`it's` = ? AND a",
                "`open 1|`open 1"
            })
    void valuesAreQuestionMarks(String sql, String digest) {
        assertThat(Digest.of(sql)).isEqualTo(digest);
    }

    @Test
    void aBackslashMayBeACharacterOfItsOwn() {
        assertThat(Digest.of("a = 'x\\' AND b = 'y'", true)).isEqualTo("a = ?y?");
        assertThat(Digest.of("a = 'x\\' AND b = 'y'", false)).isEqualTo("a = ? AND b = ?");
    }

    @Test
    void blanksAreFolded() {
        assertThat(Digest.of(" \n SELECT\t a,\r\n  b")).isEqualTo("SELECT a, b");
    }

    @Test
    void statementsWithDifferentNamesHaveDifferentDigests() {
        assertThat(Digest.of("SELECT a FROM t1")).isNotEqualTo(Digest.of("SELECT a FROM t2"));
        assertThat(Digest.of("SELECT `a 1` FROM t")).isNotEqualTo(Digest.of("SELECT `a 2` FROM t"));
    }
}
