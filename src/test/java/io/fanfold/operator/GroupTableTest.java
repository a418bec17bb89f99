package io.fanfold.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GroupTableTest {
    private static final long SEED = 4711;
    private static final int MANY = 100;

    private final MemoryBudget budget = MemoryBudget.ofProcess(Merging.PLENTY);
    private final BudgetShare share = new BudgetShare(budget);
    private final GroupTable table = table(share);

    private static GroupTable table(BudgetShare share) {
        return new GroupTable(share, SEED, 0, false);
    }

    /** Hashes that are all different, all the same, in pairs, or at the end of each table. */
    static Stream<IntUnaryOperator> hashes() {
        return Stream.of(i -> i, i -> 0, i -> -1, i -> i / 2, i -> Integer.MIN_VALUE - i, i -> i << 20 | 0xfffff);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Keys of several lengths, none of which is at the start of an array. */
    private static byte[] key(int i) {
        return bytes("." + "k".repeat(i % 3) + i + ".");
    }

    private static int find(GroupTable table, int i, int hash) {
        byte[] key = key(i);
        return table.find(key, 1, key.length - 2, hash);
    }

    private static int add(GroupTable table, int i, int hash) throws Exception {
        byte[] key = key(i);
        byte[] values = bytes("v" + i);
        return table.add(Arrays.copyOfRange(key, 1, key.length), key.length - 2, hash, values, values.length, i);
    }

    private static int hash(int i) {
        byte[] key = key(i);
        return KeyEncoder.hash(key, 1, key.length - 2, SEED);
    }

    private static String values(GroupTable table, int record) {
        byte[] chunk = table.chunk(record);
        int at = table.values(record);
        return new String(
                chunk, GroupRecords.bytesAt(chunk, at), GroupRecords.length(chunk, at), StandardCharsets.ISO_8859_1);
    }

    /** The smallest power of two of which the groups use at most two thirds. */
    private static long slotBytes(int groups) {
        long slots = 16;
        while (3L * groups > 2 * slots) {
            slots *= 2;
        }
        return HeapSize.array(8 * slots);
    }

    @ParameterizedTest
    @MethodSource("hashes")
    void groupsAreFoundByTheirKeys(IntUnaryOperator hashes) throws Exception {
        List<Integer> records = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            int hash = hashes.applyAsInt(i);
            assertThat(find(table, i, hash)).isEqualTo(-1);
            records.add(add(table, i, hash));
            assertThat(table.size()).isEqualTo(i + 1);
            assertThat(find(table, i, hash ^ 1 << 31)).as("with another hash").isEqualTo(-1);
            assertThat(find(table, i, hash ^ 1 << 30)).as("with another hash").isEqualTo(-1);
            for (int earlier = 0; earlier <= i; earlier++) {
                assertThat(find(table, earlier, hashes.applyAsInt(earlier)))
                        .as("key %d of %d", earlier, i + 1)
                        .isEqualTo(records.get(earlier));
            }
        }
        assertThat(records).doesNotHaveDuplicates();
    }

    @Test
    void theHeapIsThatOfTheSlotsAndTheRecords() throws Exception {
        assertThat(table.heapBytes()).isZero();
        for (int i = 0; i < 1000; i++) {
            add(table, i, hash(i));
            assertThat(table.heapBytes())
                    .as("of %d groups", i + 1)
                    .isEqualTo(slotBytes(i + 1) + table.recordBytes())
                    .isEqualTo(share.usedBytes());
        }
    }

    @Test
    void bothTablesCountWhileTheGroupsMove() throws Exception {
        for (boolean enough : List.of(true, false)) {
            long full = slotBytes(10) + HeapSize.array(512);
            MemoryBudget limited = MemoryBudget.ofProcess(full + slotBytes(11) - (enough ? 0 : 1));
            BudgetShare share = new BudgetShare(limited);
            GroupTable table = table(share);
            for (int i = 0; i < 10; i++) {
                add(table, i, hash(i));
            }
            assertThat(share.usedBytes()).isEqualTo(full);
            if (enough) {
                add(table, 10, hash(10));
                assertThat(share.usedBytes()).isEqualTo(full - slotBytes(10) + slotBytes(11));
            } else {
                assertThatThrownBy(() -> add(table, 10, hash(10))).isInstanceOf(BudgetExceededException.class);
                assertThat(share.usedBytes()).isEqualTo(full);
            }
        }
    }

    @Test
    void aKeyIsHashedAsInItsRecord() throws Exception {
        for (int i = 0; i < 3; i++) {
            byte[] key = key(i);
            assertThat(table.hash(key, 1, key.length - 2)).isEqualTo(hash(i));
            assertThat(table.keyHash(add(table, i, hash(i)))).isEqualTo(hash(i));
        }
        assertThat(hash(0)).isNotEqualTo(hash(1)).isNotEqualTo(hash(2));
    }

    @Test
    void groupsWithOtherValuesAreFoundByTheirKeys() throws Exception {
        for (int i = 0; i < 1000; i++) {
            add(table, i, hash(i));
        }
        for (int i = 0; i < 1000; i++) {
            int record = find(table, i, hash(i));
            String values = "w".repeat(i % 9) + i;
            int other = table.replaceValues(record, bytes(".." + values), 2, values.length());
            assertThat(other == record).isEqualTo(i % 9 == 1);
            assertThat(find(table, i, hash(i))).isEqualTo(other);
        }
        for (int i = 0; i < 1000; i++) {
            assertThat(values(table, find(table, i, hash(i)))).isEqualTo("w".repeat(i % 9) + i);
        }
        assertThat(table.size()).isEqualTo(1000);
    }

    @Test
    void copiesOfRecordsAreFoundByTheirKeys() throws Exception {
        GroupTable other = table(share);
        for (int i = 0; i < MANY; i++) {
            int copy = table.addCopy(other, add(other, i, hash(i)), hash(i));
            assertThat(find(table, i, hash(i))).isEqualTo(copy);
            assertThat(values(table, copy)).isEqualTo("v" + i);
            assertThat(table.size()).isEqualTo(i + 1);
        }
    }

    /** Adds {@link #MANY} groups that the table does not have. */
    private void fill() throws Exception {
        for (int i = 0; i < MANY; i++) {
            assertThat(find(table, i, hash(i))).isEqualTo(-1);
            add(table, i, hash(i));
            assertThat(find(table, i, hash(i))).isNotEqualTo(-1);
        }
    }

    @Test
    void aClearedTableKeepsItsHeap() throws Exception {
        fill();
        long held = share.usedBytes();
        for (int round = 0; round < 3; round++) {
            table.clear();
            assertThat(table.size()).isZero();
            assertThat(table.first()).isEqualTo(-1);
            assertThat(share.usedBytes()).isEqualTo(held);
            fill();
            assertThat(share.usedBytes()).isEqualTo(table.heapBytes()).isEqualTo(held);
        }
    }

    @Test
    void aReleasedTableHasNoHeap() throws Exception {
        for (int round = 0; round < 3; round++) {
            fill();
            table.release();
            assertThat(table.size()).isZero();
            assertThat(table.first()).isEqualTo(-1);
            assertThat(table.heapBytes()).isZero();
            assertThat(share.usedBytes()).isZero();
        }
        table.release();
        assertThat(share.usedBytes()).isZero();
    }
}
