package io.fanfold.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShowFanfoldTest {
    @Test
    void readsNameLikeAndLimit() throws Exception {
        assertThat(ShowFanfold.parse("Status"))
                .isEqualTo(new ShowFanfold("status", Optional.empty(), 0, Long.MAX_VALUE));
        assertThat(ShowFanfold.parse("digests LIKE 'SELECT%' LIMIT 3, 10;"))
                .isEqualTo(new ShowFanfold("digests", Optional.of("SELECT%"), 3, 10));
        assertThat(ShowFanfold.parse("reasons limit 5 offset 2"))
                .isEqualTo(new ShowFanfold("reasons", Optional.empty(), 2, 5));
        assertThat(ShowFanfold.parse("")).isEqualTo(new ShowFanfold("", Optional.empty(), 0, Long.MAX_VALUE));
    }

    @Test
    void stringsAreReadAsTheServerReadsThem() throws Exception {
        assertThat(ShowFanfold.parse("status LIKE 'it''s \\_\\a\"'").like()).contains("it's \\_a\"");
        assertThat(ShowFanfold.parse("status LIKE \"a\"\"b\"").like()).contains("a\"b");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "status LIKE          | ``",
                "status LIKE a        | a",
                "status LIMIT x       | x",
                "status LIMIT 1.5     | 1.5",
                "status LIMIT 1,      | ``",
                "status WHERE a = 1   | WHERE a = 1",
                "'status'             | 'status'",
                "status LIKE N'a'     | N'a'",
                "status LIKE 'a       | status LIKE 'a"
            })
    void errorsSayFromWhereOn(String text, String near) {
        assertThatThrownBy(() -> ShowFanfold.parse(text))
                .isInstanceOf(ShowFanfold.SyntaxException.class)
                .hasMessageEndingWith("near '" + near + "'");
    }
}
