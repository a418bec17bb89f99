package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fanfold.operator.MemoryBudget;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StatementBytesTest {
    @Test
    void holdsTheAddedBytes() throws Exception {
        byte[] random = new byte[100_000];
        new SplittableRandom(7).nextBytes(random);
        StatementBytes statement = new StatementBytes(StandardCharsets.ISO_8859_1, MemoryBudget.ofProcess(4 << 20));
        statement.text("SELECT 'é' x'");
        statement.hex(random, 0, random.length);
        statement.hex(0x0f);
        statement.hex(random, 5, 5);
        statement.text("'");
        assertThat(new String(statement.take(), StandardCharsets.ISO_8859_1))
                .isEqualTo("SELECT 'é' x'" + HexFormat.of().formatHex(random) + "0f'");
    }

    /** Counts the text and the copies that are made to send it. */
    @Test
    void countsItsHeap() throws Exception {
        MemoryBudget budget = MemoryBudget.ofProcess(1 << 20);
        StatementBytes statement = new StatementBytes(StandardCharsets.UTF_8, budget);
        statement.hex(new byte[50_000], 0, 50_000);
        assertThat(budget.heldBytes()).isBetween(3 * 95_000L, 3 * 200_000L);
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> statement.hex(new byte[300_000], 0, 300_000))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.MEMORY));
        assertThat(budget.heldBytes()).isLessThan(3 * 200_000L);
    }
}
