package io.fanfold.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

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
}
