package io.fanfold.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows are single letters here; the reference is {@code a}, then {@code b c d} with one rank, then {@code e}. */
class OrderCheckTest {
    private static final String REFERENCE = "abcde";
    private static final String RANKS = "12225";

    private static RowHash hash(int letter) {
        return new RowHash(letter, letter);
    }

    private static List<RowHash> hashes(String rows) {
        return rows.chars().mapToObj(OrderCheckTest::hash).toList();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "abcde, 0, 100, true",
                "adbce, 0, 100, true",
                "bacde, 0, 100, false",
                "abcd,  0, 100, false",
                "abcdee,0, 100, false",
                "abbde, 0, 100, false",
                "abcdx, 0, 100, false",
                "ac,    0, 2, true",
                "ae,    0, 2, false",
                "a,     0, 2, false",
                "abc,   0, 2, false",
                "bd,    1, 2, true",
                "bd,    2, 2, true",
                "ad,    2, 2, false",
                "ce,    3, 100, true",
                "e,     4, 1, true",
                "'',    5, 1, true",
                "'',    9, 1, true",
                "'',    0, 0, true",
                "'',    0, 1, false",
            })
    void ranksDecide(String rows, long offset, long count, boolean allowed) {
        OrderCheck check = new OrderCheck(hashes(rows), offset, count);
        for (int i = 0; i < REFERENCE.length(); i++) {
            check.add(hash(REFERENCE.charAt(i)), String.valueOf(RANKS.charAt(i)));
        }
        assertThat(check.allows()).isEqualTo(allowed);
    }
}
