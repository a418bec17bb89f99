package io.fanfold.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
    private final MemoryBudget process = MemoryBudget.ofProcess(100);

    @Test
    void countsInTheQueryAndInTheProcess() throws Exception {
        MemoryBudget one = process.child("query", 80);
        MemoryBudget two = process.child("query", 80);
        one.reserve(60);
        two.reserve(40);
        assertThat(process.heldBytes()).isEqualTo(100);
        one.release(10);
        assertThat(one.isClosed()).isFalse();
        assertThat(one.heldBytes()).isEqualTo(50);
        assertThat(process.heldBytes()).isEqualTo(90);
    }

    @Test
    void takesNothingBeyondALimit() throws Exception {
        MemoryBudget one = process.child("query", 60);
        MemoryBudget two = process.child("query", 60);
        one.reserve(60);
        assertThatThrownBy(() -> one.reserve(1))
                .isInstanceOf(BudgetExceededException.class)
                .hasMessage("memory budget of the query: 1 bytes more do not fit, 60 of 60 are held");
        assertThatThrownBy(() -> two.reserve(41))
                .isInstanceOf(BudgetExceededException.class)
                .hasMessage("memory budget of the process: 41 bytes more do not fit, 60 of 100 are held");
        assertThat(process.heldBytes()).isEqualTo(60);
        assertThat(two.heldBytes()).isZero();
        two.reserve(40);
        assertThatThrownBy(() -> two.reserve(Long.MAX_VALUE)).isInstanceOf(BudgetExceededException.class);
    }

    @Test
    void closingReleasesAllBytesOnce() throws Exception {
        MemoryBudget one = process.child("query", 60);
        MemoryBudget two = process.child("query", 60);
        one.reserve(30);
        two.reserve(20);
        one.close();
        assertThat(process.heldBytes()).isEqualTo(20);
        one.close();
        one.release(30);
        assertThat(process.heldBytes()).isEqualTo(20);
        assertThat(one.heldBytes()).isZero();
        assertThat(one.isClosed()).isTrue();
        assertThatThrownBy(() -> one.reserve(1)).isInstanceOf(CancellationException.class);
        assertThat(process.heldBytes()).isEqualTo(20);
    }

    @Test
    void refusesInvalidArguments() throws Exception {
        process.reserve(5);
        assertThatThrownBy(() -> process.reserve(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> process.release(6)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> process.release(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> process.child("query", -1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(process.heldBytes()).isEqualTo(5);
    }

    @Test
    void closingWhileOthersReserveLeavesNothing() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (int round = 0; round < 200; round++) {
                MemoryBudget query = process.child("query", 60);
                List<Future<?>> running = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    long seed = 31L * round + i;
                    running.add(threads.submit(() -> reserveUntilClosed(query, new Random(seed))));
                }
                query.close();
                for (Future<?> one : running) {
                    one.get();
                }
                assertThat(process.heldBytes()).isZero();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void reserveUntilClosed(MemoryBudget query, Random random) {
        while (true) {
            int bytes = random.nextInt(50);
            try {
                query.reserve(bytes);
                query.release(bytes);
            } catch (BudgetExceededException e) {
                // Another thread has it; the next try may fit.
                Thread.onSpinWait();
            } catch (CancellationException e) {
                return;
            }
        }
    }

    @Test
    void theLimitChangesWhileBytesAreHeld() throws Exception {
        MemoryBudget process = MemoryBudget.ofProcess(100);
        process.reserve(80);
        process.limit(50);
        assertThat(process.take(1)).isFalse();
        assertThat(process.heldBytes()).isEqualTo(80);
        process.release(40);
        assertThat(process.leftBytes()).isEqualTo(10);
        process.limit(200);
        assertThat(process.take(160)).isTrue();
        process.close();
    }
}
