package io.fanfold.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroupRecordsTest {
    private final MemoryBudget budget = MemoryBudget.ofProcess(Merging.PLENTY);
    private final BudgetShare share = new BudgetShare(budget);

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static int place(GroupRecords records, String key, String values, long rank) throws Exception {
        return records.place(bytes(key), 0, key.length(), bytes(values), 0, values.length(), rank);
    }

    private static String text(byte[] chunk, int at) {
        return new String(
                chunk, GroupRecords.bytesAt(chunk, at), GroupRecords.length(chunk, at), StandardCharsets.ISO_8859_1);
    }

    /** The key, the values, the rank, the state and the first sum of a record. */
    private static List<Object> content(GroupRecords records, int record) {
        byte[] chunk = records.chunk(record);
        return List.of(
                text(chunk, records.key(record)),
                text(chunk, records.values(record)),
                records.rank(record),
                records.state(record),
                GroupRecords.readLong(chunk, GroupRecords.start(record) + GroupRecords.numberAt(0)));
    }

    private static void fill(GroupRecords records, int record, int state, long sum) {
        records.state(record, state);
        GroupRecords.writeLong(records.chunk(record), GroupRecords.start(record) + GroupRecords.numberAt(0), sum);
    }

    private static List<Integer> all(GroupRecords records) {
        List<Integer> all = new ArrayList<>();
        for (int record = records.first(); record >= 0; record = records.next(record)) {
            all.add(record);
        }
        return all;
    }

    /** Lengths of one to three bytes, and records that are longer than a chunk. */
    @Test
    void keepsRecordsOfAllLengthsInOrder() throws Exception {
        GroupRecords records = new GroupRecords(share, 1, true);
        assertThat(all(records)).isEmpty();
        List<Integer> numbers = new ArrayList<>();
        List<Integer> lengths = List.of(0, 1, 127, 128, 16_383, 16_384, 300_000, 2);
        for (int length : lengths) {
            int record = place(records, "k".repeat(length), "v".repeat(300_000 - length), length);
            fill(records, record, length + 1, -length);
            numbers.add(record);
        }
        assertThat(all(records)).isEqualTo(numbers);
        for (int i = 0; i < lengths.size(); i++) {
            int length = lengths.get(i);
            assertThat(content(records, numbers.get(i)))
                    .containsExactly("k".repeat(length), "v".repeat(300_000 - length), (long) length, length + 1, (long)
                            -length);
        }
    }

    @Test
    void valuesOfAnotherLengthNeedAnotherRecord() throws Exception {
        GroupRecords records = new GroupRecords(share, 1, true);
        int first = place(records, "key", "old", 7);
        int second = place(records, "other", "x", 8);
        fill(records, first, 3, 40);
        assertThat(records.rewrite(first, bytes("..new"), 2, 3)).isEqualTo(first);
        assertThat(content(records, first)).containsExactly("key", "new", 7L, 3, 40L);
        int moved = records.rewrite(first, bytes("longer"), 0, 6);
        assertThat(content(records, moved)).containsExactly("key", "longer", 7L, 3, 40L);
        assertThat(all(records)).containsExactly(second, moved);
    }

    @Test
    void copiesHoldTheirSumsAndStates() throws Exception {
        GroupRecords from = new GroupRecords(share, 1, true);
        GroupRecords to = new GroupRecords(share, 1, true);
        int record = place(from, "key", "values", 5);
        fill(from, record, 9, -1);
        place(to, "before", "", 1);
        assertThat(content(to, to.copy(from, record))).containsExactly("key", "values", 5L, 9, -1L);
    }

    @Test
    void clearedSpaceIsUsedAgainWithoutItsSums() throws Exception {
        GroupRecords records = new GroupRecords(share, 1, true);
        fill(records, place(records, "key", "values", 5), 9, 77);
        long held = share.usedBytes();
        assertThat(held).isEqualTo(records.recordBytes()).isPositive();
        records.clearRecords();
        assertThat(all(records)).isEmpty();
        assertThat(records.filledBytes()).isZero();
        assertThat(content(records, place(records, "k", "v", 6))).containsExactly("k", "v", 6L, 0, 0L);
        assertThat(share.usedBytes()).isEqualTo(held);
        records.releaseRecords();
        assertThat(all(records)).isEmpty();
        assertThat(share.usedBytes()).isZero();
        assertThat(records.recordBytes()).isZero();
    }

    /** The bytes of a length: seven bits in each. */
    private static int lengthBytes(long length) {
        int bytes = 1;
        for (long rest = length >> 7; rest > 0; rest >>= 7) {
            bytes++;
        }
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                0,
                1,
                126,
                127,
                128,
                129,
                16_383,
                16_384,
                16_385,
                2_097_151,
                2_097_152,
                268_435_455,
                268_435_456,
                Integer.MAX_VALUE
            })
    void lengthsAreReadFromUpToFiveBytes(int length) {
        byte[] chunk = new byte[10];
        int at = 3;
        for (int rest = length; ; rest >>>= 7) {
            chunk[at++] = (byte) (rest > 127 ? rest & 127 | 128 : rest);
            if (rest <= 127) {
                break;
            }
        }
        chunk[at] = 77;
        assertThat(GroupRecords.length(chunk, 3)).isEqualTo(length);
        assertThat(GroupRecords.bytesAt(chunk, 3)).isEqualTo(at).isEqualTo(3 + lengthBytes(length));
    }

    /** The rank, a sum, its mark and a state are before the key. Values of up to 9 bytes have every alignment. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 126, 127, 128, 129, 16_383, 16_384, 16_385, 2_097_151, 2_097_152})
    void recordsAreRoundedUpToEightBytes(int length) throws Exception {
        GroupRecords records = new GroupRecords(share, 1, true);
        long filled = 0;
        List<Integer> numbers = new ArrayList<>();
        for (int other = 0; other < 10; other++) {
            String key = "k".repeat(other % 2 == 0 ? length : other);
            String values = "v".repeat(other % 2 == 0 ? other : length);
            int record = place(records, key, values, other);
            fill(records, record, other, -1);
            numbers.add(record);
            int bytes = 8 + 8 + 1 + 4 + lengthBytes(length) + length + lengthBytes(other) + other;
            filled += (bytes + 7) / 8 * 8L;
            assertThat(records.filledBytes()).as("with %d other bytes", other).isEqualTo(filled);
        }
        assertThat(all(records)).isEqualTo(numbers);
        for (int other = 0; other < 10; other++) {
            byte[] chunk = records.chunk(numbers.get(other));
            assertThat(GroupRecords.length(chunk, records.key(numbers.get(other))))
                    .isEqualTo(other % 2 == 0 ? length : other);
            assertThat(GroupRecords.length(chunk, records.values(numbers.get(other))))
                    .isEqualTo(other % 2 == 0 ? other : length);
        }
    }

    /** The first has 512 bytes. Each other has as many as all before it, up to 256 KiB. */
    @Test
    void chunksGrowWithTheRecords() throws Exception {
        GroupRecords records = new GroupRecords(share, 1, true);
        long capacity = 0;
        long heap = 0;
        for (int i = 0; i < 32_768; i++) {
            if (capacity == 64L * i) {
                long bytes = Math.min(Math.max(512, capacity), 262_144);
                capacity += bytes;
                heap += HeapSize.array(bytes);
            }
            place(records, "k".repeat(41 - i % 40), "v".repeat(i % 40), i);
            assertThat(records.recordBytes()).as("of %d records", i + 1).isEqualTo(heap);
        }
        assertThat(share.usedBytes()).isEqualTo(heap);
        assertThat(all(records)).hasSize(32_768).doesNotHaveDuplicates();
    }

    @Test
    void aRecordLargerThanAChunkHasAChunkOfItsSize() throws Exception {
        GroupRecords records = new GroupRecords(share, 0, false);
        place(records, "", "v".repeat(1_000_000), 1);
        assertThat(share.usedBytes()).isEqualTo(HeapSize.array(8 + 1 + 3 + 1_000_000));
    }

    /** A chunk that is too small for the next record stays empty. */
    @Test
    void clearedChunksAreUsedForRecordsThatFit() throws Exception {
        GroupRecords records = new GroupRecords(share, 0, false);
        String half = "v".repeat(256 - 8 - 1 - 2);
        String whole = "v".repeat(512 - 8 - 1 - 2);
        for (int i = 0; i < 2; i++) {
            place(records, "", half, i);
        }
        int second = place(records, "", "v".repeat(1024 - 8 - 1 - 2), 2);
        long held = HeapSize.array(512) + HeapSize.array(1024);
        assertThat(share.usedBytes()).isEqualTo(held);

        records.clearRecords();
        int first = place(records, "", whole, 3);
        assertThat(place(records, "", whole, 4)).as("in the second chunk").isEqualTo(second);
        place(records, "", half, 5);
        place(records, "", half, 6);
        assertThat(all(records)).hasSize(4).startsWith(first, second);
        assertThat(share.usedBytes()).isEqualTo(held);

        records.clearRecords();
        assertThat(place(records, "", whole + "v", 7))
                .as("not in the first chunk")
                .isEqualTo(second);
        assertThat(all(records)).containsExactly(second);
        assertThat(share.usedBytes()).isEqualTo(held);
    }

    /** A record and its length must fit into one array. The other arguments are not read before that is known. */
    @ParameterizedTest
    @ValueSource(ints = {268_435_455, 268_435_456})
    void aGroupLargerThanAnArrayIsRefused(int keyLength) {
        GroupRecords records = new GroupRecords(new BudgetShare(MemoryBudget.ofProcess(1000)), 0, false);
        int largest = Integer.MAX_VALUE - 16 - 8 - lengthBytes(keyLength) - keyLength - 5;
        assertThatThrownBy(() -> records.place(bytes(""), 0, keyLength, bytes(""), 0, largest, 1))
                .isInstanceOf(BudgetExceededException.class);
        assertThatThrownBy(() -> records.place(bytes(""), 0, keyLength, bytes(""), 0, largest + 1, 1))
                .isInstanceOfSatisfying(
                        MergeException.class,
                        e -> assertThat(e.kind()).isEqualTo(MergeException.MergeFailure.TOO_LARGE))
                .hasMessage("a group of 2147483632 bytes");
    }

    /** A replaced record is skipped wherever it is. */
    @Test
    void recordsWithOtherValuesComeAfterAllOthers() throws Exception {
        GroupRecords records = new GroupRecords(share, 1, true);
        List<Integer> expected = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            expected.add(place(records, "k" + i, "v", i));
        }
        for (int i : List.of(0, 1, 50, 99)) {
            int old = expected.get(i);
            fill(records, old, i, 2L * i);
            int moved = records.rewrite(old, bytes("longer"), 0, 6);
            assertThat(content(records, moved)).containsExactly("k" + i, "longer", (long) i, i, 2L * i);
            expected.add(moved);
        }
        expected.removeAll(List.of(expected.get(0), expected.get(1), expected.get(50), expected.get(99)));
        assertThat(all(records)).isEqualTo(expected);
    }
}
