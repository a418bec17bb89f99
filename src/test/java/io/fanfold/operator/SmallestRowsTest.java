package io.fanfold.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SmallestRowsTest {
    /** Keys of different lengths, of which many are equal. */
    private static List<TopRow> rows(int count, Random random) {
        List<TopRow> rows = new ArrayList<>();
        for (int rank = 0; rank < count; rank++) {
            byte[] key = new byte[1 + random.nextInt(2)];
            for (int i = 0; i < key.length; i++) {
                key[i] = (byte) (random.nextInt(6) * 50);
            }
            rows.add(new TopRow(key, rank, key));
        }
        Collections.shuffle(rows, random);
        return rows;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 15, 16, 17, 99, 100, 101, Integer.MAX_VALUE})
    void theSmallestRowsAreKept(int limit) throws Exception {
        Random random = new Random(limit);
        for (int round = 0; round < 20; round++) {
            List<TopRow> rows = rows(100, random);
            SmallestRows smallest = new SmallestRows(limit, new BudgetShare(MemoryBudget.ofProcess(Merging.PLENTY)));
            int added = 0;
            for (TopRow row : rows) {
                assertThat(smallest.hasRoom()).isEqualTo(added < limit);
                byte[] key = Arrays.copyOf(row.key(), 9);
                if (smallest.takes(key, row.key().length, row.rank())) {
                    smallest.add(row);
                }
                added++;
                assertThat(smallest.size()).isEqualTo(Math.min(added, limit));
            }
            List<TopRow> expected =
                    rows.stream().sorted().limit(Math.min(limit, 100)).toList();
            assertThat(Arrays.copyOf(smallest.sorted(), smallest.size())).containsExactlyElementsOf(expected);
        }
    }
}
