package io.fanfold.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fanfold.row.HeapRoom;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
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
        batch.add(new byte[100]);
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
        RowBatch plain = new RowBatch();
        assertThat(plain.size()).isZero();
        assertThat(plain.bytes()).isZero();
        assertThat(plain.last()).isFalse();
        assertThat(plain.counted()).isFalse();
        byte[] payload = {1};
        byte[] other = {2};
        byte[] key = {3};
        RowBatch keyed = new RowBatch();
        plain.add(payload);
        plain.add(other);
        keyed.add(payload, key);
        assertThat(plain.size()).isEqualTo(2);
        assertThat(plain.payload(1)).isSameAs(other);
        assertThat(keyed.payload(0)).isSameAs(payload);
        assertThat(keyed.key(0)).isSameAs(key);
        assertThat(plain.bytes()).isEqualTo(2 * (HeapSize.of(payload) + HeapSize.REFERENCE));
        assertThat(keyed.bytes()).as("two arrays, two references").isEqualTo(plain.bytes());
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
        assertThat(common.begins()).as("it does not begin any more").isFalse();
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
        assertThat(common.begins()).isTrue();
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
