package io.fanfold.plan;

import static io.fanfold.plan.Verdict.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RepeatedKeysTest {
    /** Returns the select list of the final query. */
    private static String shown(String sql) {
        String finish = Verdict.finish(sql);
        assertThat(finish).as(sql).startsWith("answer: SELECT ");
        return finish.substring("answer: SELECT ".length(), finish.indexOf(" FROM "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '%',
            value = {
                "ABS(a) + 1 | ABS(a) | ff.c0 + 1",
                "1 + ABS(a) | ABS(a) | 1 + ff.c0",
                "ABS(a) + ABS(a) * ABS(a) | ABS(a) | ff.c0 + ff.c0 * ff.c0",
                "CONCAT(LOWER(str), LOWER(str)) | LOWER(str) | CONCAT(ff.c0, ff.c0)",
                "1 + ABS((a) + (b)) | ABS((a) + (b)) | 1 + ff.c0",
                "CONCAT('LOWER(str)', LOWER(str)) | LOWER(str) | CONCAT('LOWER(str)', ff.c0)",
                "1 + ABS(1 + a) | ABS(1 + a) | 1 + ff.c0",
                "1 + CAST(a + '1' AS SIGNED) | CAST(a + '1' AS SIGNED) | 1 + ff.c0",
                "CONCAT(LOWER(TRIM(str)), TRIM(str)) | LOWER(TRIM(str)), TRIM(str) | CONCAT(ff.c0, ff.c1)",
                "CONCAT(LOWER(TRIM(str)), TRIM(str)) | TRIM(str), LOWER(TRIM(str)) | CONCAT(ff.c1, ff.c0)"
            })
    void everyRepetitionOfACallIsTheKey(String item, String keys, String shown) {
        assertThat(shown("SELECT " + item + " FROM t GROUP BY " + keys)).isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT LTRIM(str) FROM t GROUP BY TRIM(str)",
                "SELECT 1 + ABS( a) FROM t GROUP BY ABS(a)",
                "SELECT CONCAT(1, CONCAT(str, '(')) FROM t GROUP BY CONCAT(str, '(')",
                "SELECT CONCAT(1, CONCAT(LOWER(str), 'x')) FROM t GROUP BY CONCAT(LOWER(str), 'x')",
                "SELECT NOT(a) + 1 FROM t GROUP BY NOT(a)",
                "SELECT NOT('x' = str) + 1 FROM t GROUP BY NOT('x' = str)",
                "SELECT ABS(a) * 2 FROM t GROUP BY ABS(a) + ABS(a)",
                "SELECT 1 + (a + b) FROM t GROUP BY (a + b)",
                "SELECT 2 * ABS(a) + ABS(b) FROM t GROUP BY ABS(a) + ABS(b)",
                "SELECT 2 * a + (b) FROM t GROUP BY a + (b)",
                "SELECT 1 + (a) + ABS(b) FROM t GROUP BY (a) + ABS(b)"
            })
    void otherExpressionsAndOtherSpellingsAreNotTheKey(String sql) {
        assertRefused(Reason.UNGROUPED_COLUMN, sql);
    }

    @Test
    void anAggregateOfTheKeyStaysAnAggregate() {
        assertThat(shown("SELECT MAX(ABS(a)) + ABS(a) FROM t GROUP BY ABS(a)")).isEqualTo("ff.c1 + ff.c0");
    }

    /** Comparing trees of such depth by their nodes would need more stack than a thread has. */
    @Test
    void longKeysAreFound() {
        String sum = "a" + " + a".repeat(800);
        assertThat(shown("SELECT ABS(%s) + 1 FROM t GROUP BY b, ABS(%s)".formatted(sum, sum)))
                .isEqualTo("ff.c1 + 1");
    }
}
