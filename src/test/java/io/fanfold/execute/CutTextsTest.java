package io.fanfold.execute;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.row.ColumnType;
import io.fanfold.row.Row;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** CutTextsIT compares with the texts that servers truncate. */
class CutTextsTest {
    private static final CutTexts SEVEN = CutTexts.of(List.of(text("", 28)), collation -> 4);

    @ParameterizedTest
    @ValueSource(strings = {"-0.12345", "-0.1234", "a-0.123", "12345678"})
    void textsThatNeedMoreCharactersAreRefused(String text) {
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> SEVEN.refuse(row(text)))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.VALUE));
    }

    /** Characters outside ASCII have several bytes. */
    @ParameterizedTest
    @ValueSource(strings = {"0.12345", "-0.123", "1234567", "-1.2345", "", "ééééééé", "äöü-0.1"})
    void othersAreNot(String text) {
        assertThatCode(() -> SEVEN.refuse(row(text))).doesNotThrowAnyException();
    }

    @Test
    void aTablesColumnsAreNotLookedAt() {
        CutTexts none = CutTexts.of(List.of(text("t", 4)), collation -> 4);
        assertThatCode(() -> none.refuse(row("12345"))).doesNotThrowAnyException();
    }

    private static Row row(String text) {
        return Row.ofValues(List.of(text.getBytes(UTF_8)));
    }

    private static Column text(String table, long length) {
        return new Column(
                table, table, table, "k", table.isEmpty() ? "" : "k", 45, length, ColumnType.VAR_STRING, 0, 0);
    }
}
