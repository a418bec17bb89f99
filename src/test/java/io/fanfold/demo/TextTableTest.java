package io.fanfold.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fanfold.demo.TextTable.Heading;
import org.junit.jupiter.api.Test;

class TextTableTest {
    @Test
    void alignsWordsLeftAndNumbersRight() {
        TextTable table = new TextTable(Heading.left("query"), Heading.right("s"), Heading.left("note"));
        table.add("count", "1.250", "verified");
        table.add("a longer one", "12.000", "");
        assertThat(table.render()).isEqualTo("""
                        query              s  note
                        ------------  ------  --------
                        count          1.250  verified
                        a longer one  12.000
                        """);
    }

    @Test
    void refusesRowsOfAnotherWidth() {
        TextTable table = new TextTable(Heading.left("query"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.add("a", "b"))
                .withMessage("2 cells (expected: 1)");
    }
}
