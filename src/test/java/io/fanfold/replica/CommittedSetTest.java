package io.fanfold.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CommittedSetTest {
    @Test
    void twoServersMayWriteOneSetInTwoWays() {
        assertThat(CommittedSet.of("3e11fa47:1-7,\n4f22fa47:1-3"))
                .isEqualTo(CommittedSet.of("3e11fa47:1-7,4f22fa47:1-3"));
        assertThat(CommittedSet.of("1-1-5,0-1-70")).isEqualTo(CommittedSet.of("0-1-70,1-1-5"));
    }

    @Test
    void oneTransactionMoreIsAnotherSet() {
        assertThat(CommittedSet.of("0-1-70")).isNotEqualTo(CommittedSet.of("0-1-71"));
        assertThat(CommittedSet.of("3e11fa47:1-7")).isNotEqualTo(CommittedSet.of("3e11fa47:1-6:8"));
    }

    @Test
    void withoutGtidsThereIsNoSet() {
        assertThat(CommittedSet.of("")).isEmpty();
    }
}
