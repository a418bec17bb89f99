package io.fanfold.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fanfold.row.HeapRoom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which thread waits for which, and which bytes are counted, batch by batch. */
class ExchangeBufferTest {
    /** The bytes of one {@link #batch()}. */
    private static final long EACH = batch().bytes();

    private static final long PLENTY = 1L << 30;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final MemoryBudget budget = MemoryBudget.ofProcess(100 * EACH);

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private static RowBatch batch() {
        RowBatch batch = new RowBatch();
        batch.add(new byte[100], 100);
        return batch;
    }

    private ExchangeBuffer.Common early() {
        return new ExchangeBuffer.Common(budget, true, 1000);
    }

    private static <T> T inTime(Future<T> future) throws Exception {
        return future.get(20, TimeUnit.SECONDS);
    }

    private Future<?> putting(ExchangeBuffer queue, RowBatch batch) {
        return threads.submit(() -> {
            queue.put(batch);
            return null;
        });
    }

    /** Returns once this number of threads waits for room. */
    private static void awaitWaiting(ExchangeBuffer.Common common, int threads) {
        await().until(() -> underLock(common, () -> common.waiting == threads));
    }

    /** Returns once a thread waits for news. */
    private static void awaitListener(ExchangeBuffer.Common common) {
        await().until(() -> underLock(common, () -> common.lock.hasWaiters(common.news)));
    }

    private static boolean underLock(ExchangeBuffer.Common common, Callable<Boolean> condition) throws Exception {
        common.lock.lock();
        try {
            return condition.call();
        } finally {
            common.lock.unlock();
        }
    }

    @Test
    void aBatchCarriesItsRowsKeysAndHeldBytes() {
        RowBatch batch = new RowBatch();
        assertThat(batch.size()).isZero();
        assertThat(batch.bytes()).isZero();
        assertThat(batch.last()).isFalse();
        assertThat(batch.counted()).isFalse();
        batch.add(new byte[] {1, 2, 3}, 2);
        batch.add(new byte[] {4}, 1);
        batch.addPackets(new byte[] {9, 1, 0, 0, 7, 5, 9}, 1, 6, 1);
        assertThat(batch.size()).isEqualTo(3);
        assertThat(batch.end(0, 1)).isEqualTo(6);
        assertThat(batch.end(6, 2)).isEqualTo(batch.end()).isEqualTo(16);
        assertThat(rows(batch, 0, 16, 3)).containsExactly("[1, 2]", "[4]", "[5]");
        assertThat(rows(batch, 6, 11, 1)).containsExactly("[4]");
        long bytes = batch.bytes();
        assertThat(bytes).isBetween(16L, 1000L);
        byte[] key = {3};
        batch.addKey(key);
        assertThat(batch.key(0)).isSameAs(key);
        assertThat(batch.bytes() - bytes).isEqualTo(HeapSize.of(key) + HeapSize.REFERENCE);
    }

    @Test
    void aLargeRowIsNotCopied() {
        byte[] payload = new byte[RowBatch.LARGE_ROW];
        RowBatch batch = new RowBatch();
        assertThat(batch.hasRoom(RowBatch.FULL_BYTES)).isTrue();
        batch.addLarge(payload);
        assertThat(batch.size()).isEqualTo(1);
        assertThat(batch.full()).isTrue();
        assertThat(batch.hasRoom(1)).isFalse();
        assertThat(batch.bytes()).isEqualTo(HeapSize.of(payload));
        AtomicReference<byte[]> written = new AtomicReference<>();
        assertThat(batch.end()).isEqualTo(batch.end(0, 1));
        RowOutput<RuntimeException> out = written::set;
        assertThatCode(() -> batch.writeTo(out, 0, 0, 1)).doesNotThrowAnyException();
        assertThat(written.get()).isSameAs(payload);
    }

    /** Batches grow with their rows, so that a small answer holds little, and are full at {@link RowBatch#FULL_BYTES}. */
    @Test
    void aBatchIsFullAtItsSize() {
        RowBatch batch = new RowBatch();
        byte[] row = new byte[1020];
        for (int i = 0; i < 31; i++) {
            batch.add(row, row.length);
            assertThat(batch.full()).isFalse();
            assertThat(batch.bytes()).isBetween(1024L * (i + 1), 2048L * (i + 2));
        }
        batch.add(row, row.length);
        assertThat(batch.full()).isTrue();
        assertThat(batch.hasRoom(RowBatch.LARGE_ROW)).isTrue();
        assertThat(batch.hasRoom(RowBatch.LARGE_ROW + 1)).isFalse();
    }

    private static List<String> rows(RowBatch batch, int from, int to, int count) {
        List<String> rows = new ArrayList<>();
        RowOutput<RuntimeException> out = payload -> rows.add(Arrays.toString(payload));
        try {
            batch.writeTo(out, from, to, count);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return rows;
    }

    @Test
    void anEarlyQueueIsFullToTheByteAndNoEarlier() throws Exception {
        ExchangeBuffer.Common common = early();
        ExchangeBuffer queue = new ExchangeBuffer(common, 3 * EACH);
        for (int held = 1; held <= 3; held++) {
            inTime(putting(queue, batch()));
            assertThat(common.heldBytes).isEqualTo(held * EACH);
            assertThat(budget.heldBytes()).isEqualTo(held * EACH);
        }
        Future<?> fourth = putting(queue, batch());
        awaitWaiting(common, 1);
        assertThat(common.heldBytes).isEqualTo(3 * EACH);

        queue.take();
        inTime(fourth);
        assertThat(common.waiting).isZero();
        assertThat(common.heldBytes).isEqualTo(3 * EACH);

        Future<?> fifth = putting(queue, batch());
        awaitWaiting(common, 1);
        for (int left = 3; left > 0; left--) {
            queue.take();
        }
        inTime(fifth);
        queue.take();
        assertThat(common.heldBytes).isZero();
        assertThat(budget.heldBytes()).isZero();
        assertThat(common.lock.isLocked()).isFalse();
    }

    /** The statement is passed through instead. */
    @Test
    void aLargeRowEndsAnAnswerThatHasNotBegun() throws Exception {
        ExchangeBuffer.Common common = early();
        ExchangeBuffer queue = new ExchangeBuffer(common, PLENTY);
        assertThat(queue.room().leftBytes()).isEqualTo(budget.leftBytes());
        assertThat(queue.room().take(10)).isFalse();
        assertThat(budget.heldBytes()).isZero();
        common.heldBytes = common.beginBytes;
        assertThat(common.decideBegin()).as("it does not begin any more").isFalse();
    }

    @Test
    void anAnswerThatHoldsAllReadsTheRowsThereIsRoomFor() {
        ExchangeBuffer queue = new ExchangeBuffer(new ExchangeBuffer.Common(budget, false, 1000), PLENTY);
        HeapRoom room = queue.room();
        assertThat(room.take(10)).isTrue();
        assertThat(room.take(budget.leftBytes() + 1)).isFalse();
        assertThat(budget.heldBytes()).isEqualTo(10);
    }

    @Test
    void anAnswerThatHasBegunReadsARowWithoutRoom() throws Exception {
        ExchangeBuffer.Common common = early();
        ExchangeBuffer queue = new ExchangeBuffer(common, PLENTY);
        common.heldBytes = common.beginBytes;
        HeapRoom room = queue.room();
        assertThat(room.take(10)).isTrue();
        assertThat(room.take(budget.leftBytes() + 1)).isTrue();
        assertThat(budget.heldBytes()).isEqualTo(10);
        assertThat(common.decideBegin()).isTrue();
        room.release(10 + budget.leftBytes() + 1);
        assertThat(budget.heldBytes()).isZero();
    }

    @Test
    void batchesAreReturnedInTheirOrder() throws Exception {
        ExchangeBuffer queue = new ExchangeBuffer(early(), PLENTY);
        RowBatch first = batch();
        RowBatch second = batch();
        queue.put(first);
        queue.put(second);
        assertThat(queue.take()).isSameAs(first);
        assertThat(queue.take()).isSameAs(second);
    }

    @Test
    void anEmptyEarlyQueueTakesABatchThatNothingHasRoomFor() throws Exception {
        ExchangeBuffer.Common common = early();
        ExchangeBuffer queue = new ExchangeBuffer(common, 1);
        budget.reserve(100 * EACH);
        RowBatch large = batch();
        inTime(putting(queue, large));
        assertThat(large.counted()).isFalse();
        assertThat(common.heldBytes).isEqualTo(EACH);
        Future<?> second = putting(queue, batch());
        awaitWaiting(common, 1);

        assertThat(queue.take()).isSameAs(large);
        inTime(second);
        assertThat(queue.take().counted()).isFalse();
        assertThat(budget.heldBytes())
                .as("what was not counted is not given back")
                .isEqualTo(100 * EACH);
        budget.release(EACH);
        inTime(putting(queue, batch()));
        assertThat(queue.take().counted()).isTrue();
        assertThat(budget.heldBytes()).isEqualTo(99 * EACH);
    }

    /** A queue below its own limit waits if others have used up the budget. */
    @Test
    void anEarlyQueueWaitsForTheBudget() throws Exception {
        ExchangeBuffer.Common common = early();
        ExchangeBuffer queue = new ExchangeBuffer(common, PLENTY);
        budget.reserve(99 * EACH);
        queue.put(batch());
        Future<?> second = putting(queue, batch());
        awaitWaiting(common, 1);
        queue.take();
        inTime(second);
        assertThat(budget.heldBytes()).isEqualTo(100 * EACH);
    }

    @Test
    void aQueueThatIsNotEarlyHoldsAllOrFails() throws Exception {
        ExchangeBuffer.Common common = new ExchangeBuffer.Common(budget, false, 1000);
        ExchangeBuffer queue = new ExchangeBuffer(common, 1);
        for (int i = 0; i < 100; i++) {
            inTime(putting(queue, batch()));
        }
        assertThatExceptionOfType(BudgetExceededException.class).isThrownBy(() -> queue.put(batch()));
        assertThat(common.heldBytes).as("the last one is not there").isEqualTo(100 * EACH);
        assertThat(common.lock.isLocked()).isFalse();
        ExchangeBuffer empty = new ExchangeBuffer(common, 1);
        assertThatExceptionOfType(BudgetExceededException.class).isThrownBy(() -> empty.put(batch()));
    }

    @Test
    void aBatchWakesTheThreadThatWaitsForIt() throws Exception {
        ExchangeBuffer.Common common = early();
        ExchangeBuffer queue = new ExchangeBuffer(common, PLENTY);
        Future<RowBatch> taken = threads.submit(queue::take);
        awaitListener(common);
        RowBatch batch = batch();
        queue.put(batch);
        assertThat(inTime(taken)).isSameAs(batch);
        assertThat(common.lock.isLocked()).isFalse();
    }

    @Test
    void theEndWakesTheThreadThatWaitsForABatch() throws Exception {
        ExchangeBuffer.Common common = early();
        common.open = 2;
        ExchangeBuffer queue = new ExchangeBuffer(common, PLENTY);
        Future<RowBatch> taken = threads.submit(queue::take);
        awaitListener(common);
        queue.end();
        assertThatThrownBy(() -> inTime(taken)).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(common.open).isEqualTo(1);
        queue.end();
        assertThat(common.open).as("a second end is none").isEqualTo(1);
        assertThat(common.lock.isLocked()).isFalse();
    }

    @Test
    void batchesPutBeforeTheEndAreReturned() throws Exception {
        ExchangeBuffer queue = new ExchangeBuffer(early(), PLENTY);
        queue.put(batch());
        queue.end();
        assertThat(queue.take().size()).isEqualTo(1);
        assertThatThrownBy(queue::take).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aThreadThatWaitsForRoomIsAnnounced() throws Exception {
        ExchangeBuffer.Common common = early();
        ExchangeBuffer queue = new ExchangeBuffer(common, EACH);
        queue.put(batch());
        Future<?> heard = threads.submit(() -> {
            underLock(common, () -> {
                while (common.waiting == 0) {
                    common.news.await();
                }
                return true;
            });
            return null;
        });
        awaitListener(common);
        Future<?> second = putting(queue, batch());
        inTime(heard);
        queue.take();
        inTime(second);
    }

    @Test
    void cancellingEndsEveryWait() throws Exception {
        ExchangeBuffer.Common common = early();
        ExchangeBuffer full = new ExchangeBuffer(common, EACH);
        ExchangeBuffer empty = new ExchangeBuffer(common, EACH);
        full.put(batch());
        Future<?> put = putting(full, batch());
        awaitWaiting(common, 1);
        Future<RowBatch> taken = threads.submit(empty::take);
        awaitListener(common);
        common.lock.lock();
        try {
            common.cancelled = true;
            common.news.signalAll();
            full.wake();
        } finally {
            common.lock.unlock();
        }
        assertThatThrownBy(() -> inTime(put)).hasCauseInstanceOf(CancellationException.class);
        assertThatThrownBy(() -> inTime(taken)).hasCauseInstanceOf(CancellationException.class);
        assertThatThrownBy(() -> full.put(batch())).isInstanceOf(CancellationException.class);
        assertThatThrownBy(full::take).isInstanceOf(CancellationException.class);
        assertThat(common.lock.isLocked()).isFalse();
    }
}
