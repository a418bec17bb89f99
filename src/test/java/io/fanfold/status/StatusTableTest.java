package io.fanfold.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.status.StatusTable.StatusColumn;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatusTableTest {
    private static final StatusTable TABLE = new StatusTable(
            List.of(StatusColumn.integer("n"), StatusColumn.text("name")),
            1,
            List.of(List.of(1L, "one"), Arrays.asList(2L, null), List.of(3L, "three")));

    @Test
    void likeComparesTheNamedColumn() {
        assertThat(TABLE.like(new LikePattern("%E")).rows()).containsExactly(List.of(1L, "one"), List.of(3L, "three"));
        assertThat(TABLE.like(new LikePattern("1")).rows()).isEmpty();
    }

    @Test
    void limitLeavesOutRows() {
        assertThat(TABLE.limit(1, 1).rows()).containsExactly(Arrays.asList(2L, null));
        assertThat(TABLE.limit(3, 1).rows()).isEmpty();
        assertThat(TABLE.limit(0, Long.MAX_VALUE).rows()).hasSize(3);
    }

    @Test
    void rowsHaveOneValueForEachColumn() {
        List<StatusColumn> columns = List.of(StatusColumn.text("a"));
        assertThatThrownBy(() -> new StatusTable(columns, 0, List.of(List.of("a", "b"))))
                .hasMessageContaining("1 columns");
    }

    @Test
    void rowsAreObjectsInJson() {
        assertThat(Json.of(TABLE.limit(1, 1))).isEqualToIgnoringWhitespace("[{\"n\": 2, \"name\": null}]");
    }

    @ParameterizedTest
    @CsvSource({
        "abc,abc,true",
        "ABC,abc,true",
        "a_c,abc,true",
        "a_c,ac,false",
        "a%,abc,true",
        "%c,abc,true",
        "%b%,abc,true",
        "%,'',true",
        "'',a,false",
        "a\\_c,abc,false",
        "a\\_c,a_c,true",
        "\\%,%,true",
        "%a%a%a%b,aaaaaaaaaaaa,false",
        "%_\\,a\\,true"
    })
    void matchesAsTheServerDoes(String pattern, String text, boolean expected) {
        assertThat(new LikePattern(pattern).matches(text)).isEqualTo(expected);
    }
}
