package io.fanfold.operator;

import static io.fanfold.operator.Merging.key;
import static io.fanfold.operator.Merging.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.plan.SortKey.KeyComparison;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KeyTableTest {
    /** More strings than a set without a hash table has, and several sizes of the hash table. */
    private static final int MANY = 100;

    private final KeyTable table = new KeyTable();
    private final KeyEncoder encoder = KeyEncoder.forEquality(List.of(key(0, KeyComparison.BYTES)));

    /** Hashes that are all different, all the same, in pairs, or at the end of each hash table. */
    static Stream<IntUnaryOperator> hashes() {
        return Stream.of(i -> i, i -> 0, i -> -1, i -> i / 2, i -> Integer.MIN_VALUE - i, i -> i << 20 | 0xfffff);
    }

    private byte[] encoded(int i) throws MergeException {
        encoder.encode(row("key" + i));
        return encoder.toBytes();
    }

    private void assertNumber(int i, int hash, int expected) throws MergeException {
        byte[] key = encoded(i);
        assertThat(table.find(key, hash)).as("key %d, hash %d", i, hash).isEqualTo(expected);
        assertThat(table.find(encoder, hash)).as("key %d, hash %d", i, hash).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("hashes")
    void stringsAreNumberedInTheirOrderAndFound(IntUnaryOperator hashes) throws Exception {
        for (int i = 0; i < MANY; i++) {
            int hash = hashes.applyAsInt(i);
            assertNumber(i, hash, -1);
            byte[] key = encoded(i);
            assertThat(table.add(key, hash)).isEqualTo(i);
            assertThat(table.size()).isEqualTo(i + 1);
            assertThat(table.key(i)).isSameAs(key);
            assertThat(table.hash(i)).isEqualTo(hash);
            for (int earlier = 0; earlier <= i; earlier++) {
                assertNumber(earlier, hashes.applyAsInt(earlier), earlier);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("hashes")
    void aStringIsOnlyFoundWithItsHash(IntUnaryOperator hashes) throws Exception {
        for (int i = 0; i < MANY; i++) {
            table.add(encoded(i), hashes.applyAsInt(i));
            assertNumber(i, hashes.applyAsInt(i) ^ 1 << 31, -1);
            assertNumber(i, hashes.applyAsInt(i) ^ 1 << 30, -1);
        }
    }

    /** The arrays double. With more than 8 places there is a hash table, of which at most half is used. */
    @Test
    void theHeapIsThatOfTheArraysAndTheStrings() throws Exception {
        int places = 2;
        long strings = 0;
        for (int i = 0; i < MANY; i++) {
            places = i == places ? 2 * places : places;
            table.add(new byte[i], i);
            strings += HeapSize.array(i);
            assertThat(table.heapBytes())
                    .as("after %d strings", i + 1)
                    .isEqualTo(40
                            + 2 * HeapSize.array(4L * places)
                            + HeapSize.array(places > 8 ? 8L * places : 0)
                            + strings);
        }
    }
}
