package io.fanfold.operator;

import static io.fanfold.operator.Merging.elsewhere;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fanfold.plan.MergeNode;
import io.fanfold.plan.SortKey;
import io.fanfold.row.Row;
import io.fanfold.wire.PacketCodec;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExchangeTest {
    private static final List<SortKey> BY_NUMBER =
            List.of(new SortKey(1, SortKey.KeyComparison.NUMBER, new byte[0], false));
    private static final long PLENTY = 1L << 30;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final MemoryBudget budget = MemoryBudget.ofProcess(64 << 20);

    @AfterEach
    void stop() {
        threads.shutdownNow();
        assertThat(budget.heldBytes()).as("given back").isZero();
    }

    private static MergeNode.Streamed inPartitions() {
        return new MergeNode.Streamed(List.of(), 0, Long.MAX_VALUE, 1, true);
    }

    private static MergeNode.Streamed sorted(long offset, long count) {
        return new MergeNode.Streamed(BY_NUMBER, offset, count, 1, true);
    }

    private static Row row(String... values) {
        return Row.ofValues(Arrays.stream(values)
                .map(value -> value.getBytes(StandardCharsets.US_ASCII))
                .toList());
    }

    private static void put(RowSink sink, int partition, List<Row> rows)
            throws MergeException, BudgetExceededException {
        sink.partitionStarts(partition);
        for (Row row : rows) {
            sink.add(row);
        }
        sink.partitionEnds();
    }

    private static List<String> rest(Exchange exchange) throws InterruptedException {
        List<String> rows = new ArrayList<>();
        while (exchange.next(into(rows))) {
            // all rows are collected
        }
        return rows;
    }

    private static RowOutput<RuntimeException> into(List<String> rows) {
        return payload -> rows.add(Row.of(payload, 1).toString());
    }

    /** The rows that the exchange returns at once; empty after the last one. */
    private static List<String> next(Exchange exchange) throws InterruptedException {
        List<String> rows = new ArrayList<>();
        assertThat(exchange.next(into(rows))).isEqualTo(!rows.isEmpty());
        return rows;
    }

    @Test
    void rowsAreReturnedInPartitionOrder() throws Exception {
        try (Exchange exchange = new Exchange(inPartitions(), 4, true, PLENTY, PLENTY, budget)) {
            RowSink one = exchange.newSink();
            RowSink other = exchange.newSink();
            put(one, 0, List.of(row("a"), row("b")));
            put(other, 1, List.of());
            put(other, 2, List.of(row("d")));
            put(one, 3, List.of(row("e")));
            one.ends();
            other.ends();

            assertThat(exchange.awaitBegin()).isTrue();
            assertThat(rest(exchange)).containsExactly("a", "b", "d", "e");
            assertThat(next(exchange)).isEmpty();
        }
    }

    @Test
    void sortedRunsAreMergedAndShowOnlyVisibleColumns() throws Exception {
        try (Exchange exchange = new Exchange(sorted(1, 4), 3, false, PLENTY, PLENTY, budget)) {
            List<RowSink> sinks = List.of(exchange.newSink(), exchange.newSink(), exchange.newSink());
            put(sinks.get(0), 0, List.of(row("a", "1"), row("b", "3"), row("c", "3")));
            put(sinks.get(1), 1, List.of(row("d", "2"), row("e", "3"), row("f", "9")));
            put(sinks.get(2), 2, List.of());
            sinks.forEach(RowSink::ends);

            assertThat(exchange.awaitBegin()).isTrue();
            assertThat(rest(exchange)).containsExactly("d", "b", "c", "e");
        }
    }

    @Test
    void rowThatIsSmallerThanTheOneBeforeItIsRefused() throws Exception {
        try (Exchange exchange = new Exchange(sorted(0, 9), 1, true, PLENTY, PLENTY, budget)) {
            assertThatExceptionOfType(MergeException.class)
                    .isThrownBy(() -> put(exchange.newSink(), 0, List.of(row("a", "5"), row("b", "4"))))
                    .extracting(MergeException::kind)
                    .isEqualTo(MergeException.MergeFailure.NOT_SORTED);
        }
    }

    @Test
    void oneThreadReadsOneOfTheRunsThatAreMerged() throws Exception {
        try (Exchange exchange = new Exchange(sorted(0, 9), 2, true, PLENTY, PLENTY, budget)) {
            RowSink sink = exchange.newSink();
            put(sink, 0, List.of(row("a", "5")));
            assertThatThrownBy(() -> sink.partitionStarts(1)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> exchange.newSink().partitionStarts(0)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void rowsOfAnotherShapeAreRefused() {
        for (MergeNode.Streamed node : List.of(inPartitions(), sorted(0, 1))) {
            Row odd = node.keys().isEmpty() ? row("a", "b") : row("a");
            try (Exchange exchange = new Exchange(node, 1, true, PLENTY, PLENTY, budget)) {
                assertThatExceptionOfType(MergeException.class)
                        .isThrownBy(() -> put(exchange.newSink(), 0, List.of(odd)))
                        .extracting(MergeException::kind)
                        .isEqualTo(MergeException.MergeFailure.ROW_SHAPE);
            }
        }
    }

    /**
     * Every thread is far ahead of the answer, there are more rows than the queues hold, and others have used up the
     * budget.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingIsLostAndNothingHangsWhenQueuesAreFull(boolean merged) throws Exception {
        int partitions = merged ? 5 : 23;
        int each = 20_000;
        try (MemoryBudget small = budget.child("query", 200_000);
                Exchange exchange = new Exchange(
                        merged ? sorted(0, Long.MAX_VALUE) : inPartitions(), partitions, true, 50_000, 70_000, small)) {
            AtomicInteger next = new AtomicInteger();
            List<Future<?>> readers = new ArrayList<>();
            List<ExchangeSink> sinks =
                    IntStream.range(0, 5).mapToObj(i -> exchange.newSink()).toList();
            for (RowSink sink : sinks) {
                readers.add(threads.submit(() -> {
                    for (int p = next.getAndIncrement();
                            p < partitions;
                            p = merged ? partitions : next.getAndIncrement()) {
                        sink.partitionStarts(p);
                        for (int i = 0; i < each; i++) {
                            String number = String.valueOf(merged ? i * 5 + p : p * each + i);
                            sink.add(merged ? row(number, number) : row(number));
                        }
                        sink.partitionEnds();
                    }
                    sink.ends();
                    return null;
                }));
            }

            assertThat(exchange.awaitBegin()).isFalse();
            int expected = 0;
            for (List<String> rows = next(exchange); !rows.isEmpty(); rows = next(exchange)) {
                for (String row : rows) {
                    assertThat(row).isEqualTo(String.valueOf(expected));
                    expected++;
                }
                assertThat(small.heldBytes()).isLessThanOrEqualTo(200_000);
            }

            assertThat(expected).isEqualTo(partitions * each);
            for (Future<?> reader : readers) {
                reader.get(20, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void answerThatHoldsEverythingFailsWhenTheBudgetIsUsedUp() {
        try (MemoryBudget small = budget.child("query", 100_000);
                Exchange exchange = new Exchange(inPartitions(), 1, false, 0, 10, small)) {
            RowSink sink = exchange.newSink();
            sink.partitionStarts(0);
            assertThatExceptionOfType(BudgetExceededException.class).isThrownBy(() -> {
                for (int i = 0; i < 100_000; i++) {
                    sink.add(row("abc"));
                }
            });
        }
    }

    @Test
    void cancelWakesAllWaitingThreads() throws Exception {
        try (Exchange exchange = new Exchange(inPartitions(), 2, true, PLENTY, 10, budget)) {
            RowSink first = exchange.newSink();
            RowSink second = exchange.newSink();
            Future<?> full = threads.submit(() -> {
                second.partitionStarts(1);
                while (true) {
                    second.add(row("ahead of the answer"));
                }
            });
            first.partitionStarts(0);
            assertThat(exchange.awaitBegin()).as("as the second worker is full").isFalse();
            Future<List<String>> answer = threads.submit(() -> next(exchange));

            exchange.cancel();

            assertThatThrownBy(() -> full.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(CancellationException.class);
            assertThatThrownBy(() -> answer.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(CancellationException.class);
            assertThatThrownBy(first::partitionEnds).isInstanceOf(CancellationException.class);
            assertThatThrownBy(exchange::awaitBegin).isInstanceOf(CancellationException.class);
        }
    }

    @Test
    void workerThatEndsTooEarlyIsNoticed() throws Exception {
        try (Exchange exchange = new Exchange(inPartitions(), 2, true, PLENTY, PLENTY, budget)) {
            RowSink sink = exchange.newSink();
            put(sink, 0, List.of(row("a")));
            sink.ends();
            sink.ends();
            assertThat(exchange.awaitBegin()).isTrue();
            assertThat(next(exchange)).isNotEmpty();
            assertThatThrownBy(() -> next(exchange)).isInstanceOf(IllegalStateException.class);
        }
        try (Exchange exchange = new Exchange(inPartitions(), 1, true, PLENTY, PLENTY, budget)) {
            RowSink sink = exchange.newSink();
            sink.partitionStarts(0);
            sink.ends();
            assertThatThrownBy(() -> next(exchange)).isInstanceOf(IllegalStateException.class);
        }
    }

    /** Runs the call in its own thread and returns once that thread waits. */
    private <T> Future<T> waiting(Callable<T> call) {
        AtomicReference<Thread> thread = new AtomicReference<>();
        Future<T> future = threads.submit(() -> {
            thread.set(Thread.currentThread());
            return call.call();
        });
        await().until(() -> thread.get() != null && thread.get().getState() == Thread.State.WAITING);
        return future;
    }

    /** Rows count only once their partition ends or their batch is full. */
    @Test
    void anEarlyAnswerBeginsWhenEnoughIsThere() throws Exception {
        RowBatch one = new RowBatch();
        one.add(row("a").payload(), 2);
        try (Exchange exchange = new Exchange(inPartitions(), 3, true, 2 * one.bytes(), PLENTY, budget)) {
            RowSink sink = exchange.newSink();
            put(sink, 0, List.of(row("a")));
            Future<Boolean> begins = waiting(exchange::awaitBegin);
            put(sink, 1, List.of(row("b")));
            assertThat(begins.get(20, TimeUnit.SECONDS)).isFalse();
            sink.ends();
            assertThat(exchange.awaitBegin()).isTrue();
        }
    }

    @Test
    void anyOtherAnswerBeginsWhenAllIsThere() throws Exception {
        try (Exchange exchange = new Exchange(inPartitions(), 2, false, 1, 1, budget)) {
            RowSink one = exchange.newSink();
            RowSink other = exchange.newSink();
            put(one, 0, List.of(row("a"), row("b")));
            one.ends();
            Future<Boolean> begins = waiting(exchange::awaitBegin);
            put(other, 1, List.of(row("c")));
            other.ends();
            assertThat(begins.get(20, TimeUnit.SECONDS)).isTrue();
            assertThat(rest(exchange)).containsExactly("a", "b", "c");
        }
    }

    @Test
    void theAnswerWaitsForAPartitionThatNobodyHasBegunWith() throws Exception {
        try (Exchange exchange = new Exchange(inPartitions(), 1, true, PLENTY, PLENTY, budget)) {
            RowSink sink = exchange.newSink();
            Future<List<String>> first = waiting(() -> next(exchange));
            sink.partitionStarts(0);
            sink.add(row("a"));
            sink.partitionEnds();
            assertThat(first.get(20, TimeUnit.SECONDS)).containsExactly("a");
        }
        try (Exchange exchange = new Exchange(inPartitions(), 1, true, PLENTY, PLENTY, budget)) {
            RowSink sink = exchange.newSink();
            Future<List<String>> first = waiting(() -> next(exchange));
            sink.ends();
            assertThatThrownBy(() -> first.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(IllegalStateException.class);
        }
    }

    /** A batch is sent when it is full, not when its partition ends. */
    @Test
    void fullBatchesAreHandedOnAtOnce() throws Exception {
        Row half = row("x".repeat(RowBatch.LARGE_ROW - 100));
        for (boolean merged : List.of(true, false)) {
            Row large = merged ? row("x".repeat(RowBatch.FULL_BYTES), "1") : half;
            MergeNode.Streamed node = merged ? sorted(0, 9) : inPartitions();
            try (Exchange exchange = new Exchange(node, 1, true, PLENTY, PLENTY, budget)) {
                RowSink sink = exchange.newSink();
                sink.partitionStarts(0);
                sink.add(large);
                if (!merged) {
                    assertThat(budget.heldBytes()).as("of half a batch").isZero();
                    sink.add(large);
                    assertThat(budget.heldBytes()).as("of nearly a batch").isZero();
                    sink.add(large);
                }
                assertThat(budget.heldBytes()).isGreaterThanOrEqualTo(RowBatch.FULL_BYTES);
            }
        }
    }

    /** Rows that are added as packets are in the same order as those between them, and an offset and a limit cut them. */
    @Test
    void packetsAreRowsAsOthers() throws Exception {
        MergeNode.Streamed cut = new MergeNode.Streamed(List.of(), 2, 5, 1, true);
        for (MergeNode.Streamed node : List.of(inPartitions(), cut)) {
            try (Exchange exchange = new Exchange(node, 2, true, PLENTY, PLENTY, budget)) {
                ExchangeSink sink = exchange.newSink();
                assertThat(sink.takesPackets(1)).isTrue();
                assertThat(sink.takesPackets(2)).isFalse();
                sink.partitionStarts(0);
                sink.add(row("a"));
                byte[] packets = packets("-", "b", "", "c", "-");
                sink.addPackets(packets, 6, packets.length - 6, 3);
                sink.add(row("d"));
                sink.partitionEnds();
                sink.partitionStarts(1);
                byte[] large = packets("x".repeat(20_000));
                sink.addPackets(large, 0, large.length, 1);
                sink.addPackets(packets, 0, 6, 1);
                sink.add(row("y".repeat(20_000)));
                sink.addPackets(packets, 6, 12, 1);
                sink.partitionEnds();
                sink.ends();

                assertThat(exchange.awaitBegin()).isTrue();
                List<String> all = List.of("a", "b", "", "c", "d", "x".repeat(20_000), "-", "y".repeat(20_000), "b");
                assertThat(rest(exchange)).isEqualTo(node.offset() > 0 ? all.subList(2, 7) : all);
            }
        }
        try (Exchange exchange = new Exchange(sorted(0, 9), 1, true, PLENTY, PLENTY, budget)) {
            ExchangeSink sink = exchange.newSink();
            assertThat(sink.takesPackets(1)).isFalse();
            assertThatThrownBy(() -> sink.addPackets(new byte[5], 0, 5, 1)).isInstanceOf(IllegalStateException.class);
        }
    }

    /** No batch is much larger than a full one, so rows that do not fit are the first of the next. */
    @Test
    void packetsAreHandedOnAsFullBatches() throws Exception {
        try (Exchange exchange = new Exchange(inPartitions(), 1, true, PLENTY, PLENTY, budget)) {
            ExchangeSink sink = exchange.newSink();
            sink.partitionStarts(0);
            byte[] half = packets("x".repeat(RowBatch.FULL_BYTES / 2));
            sink.addPackets(half, 0, half.length, 1);
            assertThat(exchange.heldBytes()).isZero();
            sink.addPackets(half, 0, half.length, 1);
            long full = exchange.heldBytes();
            assertThat(full).isBetween(2L * half.length, 3L * half.length);

            byte[] nearly = packets("y".repeat(RowBatch.FULL_BYTES - 100));
            sink.addPackets(nearly, 0, nearly.length, 1);
            assertThat(exchange.heldBytes()).isEqualTo(full);
            sink.addPackets(nearly, 0, nearly.length, 1);
            assertThat(exchange.heldBytes() - full)
                    .as("the first of them")
                    .isBetween((long) nearly.length, 2L * nearly.length);
            sink.partitionEnds();
            sink.ends();
            assertThat(rest(exchange).stream().map(row -> row.charAt(0))).containsExactly('x', 'x', 'y', 'y');
        }
    }

    @Test
    void keysCountForTheSizeOfABatch() throws Exception {
        MergeNode.Streamed node = new MergeNode.Streamed(
                List.of(new SortKey(1, SortKey.KeyComparison.BYTES, new byte[0], false)), 0, 9, 1, true);
        try (Exchange exchange = new Exchange(node, 1, true, PLENTY, PLENTY, budget)) {
            RowSink sink = exchange.newSink();
            sink.partitionStarts(0);
            int rows = 0;
            while (exchange.heldBytes() == 0) {
                sink.add(row("a", rows + 100 + "k".repeat(900)));
                rows++;
            }
            assertThat(rows).isBetween(RowBatch.FULL_BYTES / 1000, RowBatch.FULL_BYTES / 900);
            assertThat(exchange.heldBytes()).isGreaterThanOrEqualTo(RowBatch.FULL_BYTES);
        }
    }

    /** Rows of one value each, with the sequence ids of another answer. */
    private static byte[] packets(String... values) {
        ByteArrayOutputStream packets = new ByteArrayOutputStream();
        int sequence = 253;
        for (String value : values) {
            byte[] payload = row(value).payload();
            byte[] framed = new byte[PacketCodec.framedLength(payload.length)];
            sequence = PacketCodec.frame(payload, framed, 0, sequence);
            packets.writeBytes(framed);
        }
        return packets.toByteArray();
    }

    /** Each call runs in its own thread, so a lock that one keeps would block all others. */
    @Test
    void noCallKeepsTheLock() throws Exception {
        Exchange exchange = new Exchange(inPartitions(), 1, true, 1, PLENTY, budget);
        RowSink sink = elsewhere(exchange::newSink);
        elsewhere(() -> {
            sink.partitionStarts(0);
            return true;
        });
        elsewhere(() -> {
            sink.add(row("a"));
            sink.partitionEnds();
            return true;
        });
        assertThat(elsewhere(exchange::awaitBegin)).isFalse();
        assertThat(elsewhere(() -> next(exchange))).isNotEmpty();
        elsewhere(() -> {
            exchange.cancel();
            return true;
        });
        elsewhere(() -> {
            exchange.close();
            return true;
        });
    }

    /** Others may still refer to a closed exchange, for example to cancel it. */
    @Test
    void aClosedFlowHoldsNoRows() throws Exception {
        Exchange exchange = new Exchange(inPartitions(), 2, false, 1, PLENTY, budget);
        for (int partition = 0; partition < 2; partition++) {
            RowSink sink = exchange.newSink();
            sink.partitionStarts(partition);
            sink.add(row("a"));
            sink.partitionEnds();
        }
        assertThat(exchange.heldBytes()).isPositive();
        exchange.close();
        assertThat(exchange.heldBytes()).isZero();
    }
}
