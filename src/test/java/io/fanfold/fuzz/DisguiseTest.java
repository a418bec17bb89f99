package io.fanfold.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DisguiseTest {
    private static final String SQL =
            "SELECT 'it''s  a', \"d q\", `odd name`, /*+ a b */ a AS x FROM t WHERE a LIKE 'a\\'b c' ORDER BY 1";

    @Test
    void zeroChangesNothing() {
        assertThat(Disguise.of(0, SQL)).isEqualTo(SQL);
    }

    @Test
    void stringsNamesAndCommentsStayAsTheyAre() {
        for (int seed = 1; seed < 200; seed++) {
            assertThat(Disguise.of(seed, SQL))
                    .contains("'it''s  a'", "\"d q\"", "`odd name`", "/*+ a b */", "'a\\'b c'")
                    .isEqualTo(Disguise.of(seed, SQL));
        }
    }

    @Test
    void blanksAndLettersChange() {
        assertThat(IntStream.range(1, 100).mapToObj(seed -> Disguise.of(seed, SQL)))
                .anyMatch(sql -> sql.startsWith("select"))
                .anyMatch(sql -> sql.contains("\n"));
    }
}
