package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProcessListEntryTest {
    private static final String WAIT = " */ GET_LOCK('fanfold 1', 86400), RELEASE_LOCK('fanfold 1')";

    @ParameterizedTest
    @CsvSource({
        "SELECT 1,SELECT 1",
        "!80000 SELECT 1,!80000 SELECT 1",
        "SELECT /* a */ 1,SELECT / * a * / 1",
        "SELECT /*!99999 a */ 1 */,SELECT / *!99999 a * / 1 * /",
        "*/*/*,* / * / *",
        "SELECT 1 *,SELECT 1 *",
        "/ SELECT 1 /,/ SELECT 1 /",
        "SELECT /*/ 1,SELECT / * / 1",
    })
    void noTextEndsItsComment(String sql, String shown) {
        assertThat(statement(sql, StandardCharsets.UTF_8)).isEqualTo("SELECT /* " + shown + WAIT);
    }

    @Test
    void linesStayAndOtherControlCharactersGo() {
        assertThat(statement("SELECT 1 -- one\r\n,\t2\0,\u001b3", StandardCharsets.UTF_8))
                .isEqualTo("SELECT /* SELECT 1 -- one\r\n,\t2 , 3" + WAIT);
    }

    @Test
    void longTextsAreCutBetweenTwoCharacters() {
        String text = "x".repeat(1022);
        assertThat(statement(text + "\u20ac", StandardCharsets.UTF_8)).isEqualTo("SELECT /* " + text + " ..." + WAIT);
        assertThat(statement(text + "ab", StandardCharsets.UTF_8)).isEqualTo("SELECT /* " + text + "ab" + WAIT);
        assertThat(statement(text + "abc", StandardCharsets.UTF_8)).isEqualTo("SELECT /* " + text + "ab ..." + WAIT);
    }

    @Test
    void charactersAreTheSessions() {
        for (String charset : new String[] {"GBK", "windows-31j", "Big5", "GB18030", "ISO-8859-1"}) {
            String text = charset.startsWith("ISO") ? "SELECT '\u00e9'" : "SELECT '\u4e00\u4e8c'";
            assertThat(statement(text, Charset.forName(charset))).as(charset).isEqualTo("SELECT /* " + text + WAIT);
        }
    }

    private static String statement(String sql, Charset charset) {
        return new String(ProcessListEntry.statement(sql.getBytes(charset), charset, "fanfold 1"), charset);
    }
}
