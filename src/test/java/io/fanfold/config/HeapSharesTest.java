package io.fanfold.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeapSharesTest {
    private static final long MIB = 1 << 20;

    @ParameterizedTest
    @CsvSource({
        "16, 2, 1, 10, 409, 16",
        "64, 16, 8, 42, 1638, 64",
        "256, 112, 56, 170, 6553, 256",
        "512, 240, 120, 341, 10000, 512",
        "1024, 496, 248, 682, 10000, 1000",
        "6144, 3056, 1528, 4096, 10000, 1000"
    })
    void followTheHeap(int heap, int total, int query, int mostTotal, int connections, int waiting) {
        HeapShares shares = new HeapShares(heap * MIB);
        assertThat(shares.totalMemory()).isEqualTo(total * MIB);
        assertThat(HeapShares.queryMemory(shares.totalMemory())).isEqualTo(query * MIB);
        assertThat(shares.mostTotalMemory()).isEqualTo(mostTotal * MIB);
        assertThat(shares.connections()).isEqualTo(connections);
        assertThat(shares.waiting(64 << 10)).isEqualTo(waiting);
    }

    /** For every heap size, the default of each limit is within its range. */
    @ParameterizedTest
    @CsvSource({"1", "8", "16", "64", "100000"})
    void sharesOfTheHeapAreAllowed(long heap) {
        HeapShares shares = new HeapShares(heap * MIB);
        assertThat(shares.totalMemory()).isBetween(HeapShares.LEAST_MEMORY, shares.mostTotalMemory());
        assertThat(shares.connections()).isBetween(1, shares.mostConnections());
        assertThat(shares.cache()).isBetween(MIB / 4, 16 * MIB);
    }
}
