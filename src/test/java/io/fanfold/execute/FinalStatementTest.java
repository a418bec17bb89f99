package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.operator.MemoryBudget;
import io.fanfold.plan.FanOutPlan.ColumnEncoding;
import io.fanfold.plan.FanOutPlan.Completion;
import io.fanfold.row.Row;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FinalStatementTest {
    private static final Pattern DOCUMENT = Pattern.compile("_utf8mb4 x'([0-9a-f]*)'");
    private static final ColumnEncoding TEXT = new ColumnEncoding.TextEncoding("utf8mb4", "utf8mb4_bin");
    private static final ColumnEncoding DATE = new ColumnEncoding.TypedEncoding("date", true);
    private static final ColumnEncoding BYTES = new ColumnEncoding.BinaryEncoding();

    private static String sql(List<ColumnEncoding> encodings, Row... rows) throws Exception {
        return sql(true, encodings, rows);
    }

    private static String sql(boolean escapes, List<ColumnEncoding> encodings, Row... rows) throws Exception {
        StatementBytes sql = new StatementBytes(StandardCharsets.UTF_8, MemoryBudget.ofProcess(1 << 20));
        FinalStatement statement = new FinalStatement(
                new Completion.FinalQuery(encodings, "SELECT ff.c0 FROM ", " LIMIT 1"), escapes, sql);
        for (Row row : rows) {
            statement.add(row);
        }
        statement.end();
        return new String(sql.take(), StandardCharsets.UTF_8);
    }

    private static String json(ColumnEncoding encoding, byte[] value) throws Exception {
        return document(sql(List.of(encoding), Rows.bytes(value)));
    }

    private static String document(String sql) {
        Matcher matcher = DOCUMENT.matcher(sql);
        assertThat(matcher.find()).isTrue();
        return new String(HexFormat.of().parseHex(matcher.group(1)), StandardCharsets.UTF_8);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void rowsAreADocumentInsideTheQuery() throws Exception {
        String sql = sql(
                List.of(new ColumnEncoding.TypedEncoding("bigint", false), TEXT, BYTES),
                Rows.row("1", "one", "ab"),
                Rows.row("-2", "NULL", "NULL"));
        assertThat(document(sql)).isEqualTo("[[\"1\",\"one\",\"YWI=\"],[\"-2\",null,null]]");
        assertThat(DOCUMENT.matcher(sql).replaceFirst("X"))
                .isEqualTo("SELECT ff.c0 FROM JSON_TABLE(X, '$[*]' COLUMNS ("
                        + "c0 bigint PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, "
                        + "c1 varchar(3) character set utf8mb4 collate utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON"
                        + " ERROR, c2 varchar(4) character set latin1 collate latin1_bin PATH '$[2]' NULL ON EMPTY"
                        + " ERROR ON ERROR)) AS ff LIMIT 1");
    }

    @Test
    void noRowsAreAnEmptyDocument() throws Exception {
        String sql = sql(List.of(TEXT));
        assertThat(document(sql)).isEqualTo("[]");
        assertThat(sql).contains("c0 varchar(1) ");
    }

    @Test
    void textIsEscapedAsJson() throws Exception {
        assertThat(json(TEXT, utf8("a\"b\\c/'"))).isEqualTo("[[\"a\\\"b\\\\c/'\"]]");
        assertThat(json(TEXT, utf8("\0\t\n\r\u001f\u007f")))
                .isEqualTo("[[\"\\u0000\\u0009\\u000a\\u000d\\u001f\u007f\"]]");
        assertThat(json(TEXT, utf8("é\uD83D\uDE00"))).isEqualTo("[[\"é\uD83D\uDE00\"]]");
        assertThat(json(TEXT, utf8(""))).isEqualTo("[[\"\"]]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\"", "\\b", "a\nb", "\u001f", "\0"})
    void textThatNeedsEscapesIsRefusedUnderNoBackslashEscapes(String text) {
        assertThatThrownBy(() -> sql(false, List.of(TEXT), Rows.bytes(utf8(text))))
                .isInstanceOf(FinalStatement.EncodingException.class);
    }

    @Test
    void otherTextIsSentUnderNoBackslashEscapes() throws Exception {
        assertThat(document(sql(false, List.of(TEXT), Rows.bytes(utf8("a/b' \u007fé")))))
                .isEqualTo("[[\"a/b' \u007fé\"]]");
        assertThat(document(sql(false, List.of(BYTES), Rows.bytes(new byte[] {'"', 0, '\\'}))))
                .isEqualTo("[[\"IgBc\"]]");
    }

    @Test
    void bytesTravelAsBase64() throws Exception {
        assertThat(json(BYTES, new byte[] {(byte) 0xff, 0, '"'})).isEqualTo("[[\"/wAi\"]]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0000-00-00", "0000-05-01", "2020-00-01", "2020-01-00", "0000-00-00 00:00:00", "2020-02-30"})
    void datesThatTheCalendarDoesNotHaveAreRefused(String date) {
        assertThatThrownBy(() -> json(DATE, utf8(date)))
                .isInstanceOf(FinalStatement.EncodingException.class)
                .hasMessageContaining(date);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2000-10-10", "1000-01-01 00:00:00", "0001-01-01"})
    void otherDatesTravel(String date) throws Exception {
        assertThat(json(DATE, utf8(date))).isEqualTo("[[\"" + date + "\"]]");
    }

    @Test
    void aZeroWithAMinusIsRefused() throws Exception {
        ColumnEncoding decimal = new ColumnEncoding.TypedEncoding("decimal(10,2)", false);
        assertThatThrownBy(() -> json(decimal, utf8("-0.00"))).isInstanceOf(FinalStatement.EncodingException.class);
        assertThat(json(decimal, utf8("-0.01"))).isEqualTo("[[\"-0.01\"]]");
        assertThat(json(new ColumnEncoding.TypedEncoding("double", false), utf8("-0")))
                .isEqualTo("[[\"-0\"]]");
    }

    @Test
    void aYearOfOneDigitIsRefused() throws Exception {
        ColumnEncoding year = new ColumnEncoding.TypedEncoding("year", false);
        assertThatThrownBy(() -> json(year, utf8("0"))).isInstanceOf(FinalStatement.EncodingException.class);
        assertThat(json(year, utf8("0000"))).isEqualTo("[[\"0000\"]]");
    }

    @Test
    void controlCharactersTravelInUnicodeOnly() {
        ColumnEncoding ascii = new ColumnEncoding.TextEncoding("ascii", "ascii_general_ci");
        assertThatThrownBy(() -> json(ascii, utf8("a\tb"))).isInstanceOf(FinalStatement.EncodingException.class);
    }

    @Test
    void timesMayBeZero() throws Exception {
        assertThat(json(new ColumnEncoding.TypedEncoding("time(0)", false), utf8("-00:00:00")))
                .isEqualTo("[[\"-00:00:00\"]]");
    }

    @Test
    void invalidUtf8IsRefused() {
        for (byte[] bad : new byte[][] {{(byte) 0xff}, {(byte) 0xc3}, {(byte) 0xed, (byte) 0xa0, (byte) 0x80}}) {
            assertThatThrownBy(() -> json(TEXT, bad)).isInstanceOf(FinalStatement.EncodingException.class);
        }
    }

    @Test
    void lengthsAreThoseOfTheLongestValue() throws Exception {
        assertThat(sql(List.of(TEXT), Rows.row("ab"), Rows.row("abcd"), Rows.row("NULL"), Rows.row("a")))
                .contains("c0 varchar(4) character set utf8mb4 collate utf8mb4_bin");
        assertThat(sql(List.of(TEXT), Rows.row("x".repeat(255)))).contains("c0 varchar(255) character set");
        assertThat(sql(List.of(TEXT), Rows.row("x".repeat(256)))).contains("c0 longtext character set utf8mb4 collate");
        assertThat(sql(List.of(BYTES), Rows.row("x".repeat(192)))).contains("c0 longtext character set latin1");
    }
}
