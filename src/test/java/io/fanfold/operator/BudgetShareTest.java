package io.fanfold.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BudgetShareTest {
    private static final long STEP = 32 * 1024;

    private final MemoryBudget budget = MemoryBudget.ofProcess(1 << 20);
    private final BudgetShare share = new BudgetShare(budget);

    @Test
    void reservesOneStepMoreThanIsUsed() throws Exception {
        share.use(0);
        assertThat(budget.heldBytes()).isZero();
        share.use(1);
        assertThat(budget.heldBytes()).isEqualTo(1 + STEP);
        share.use(STEP);
        assertThat(budget.heldBytes()).as("the step is used").isEqualTo(1 + STEP);
        share.use(10);
        assertThat(share.usedBytes()).isEqualTo(11 + STEP);
        assertThat(budget.heldBytes()).isEqualTo(11 + 2 * STEP);
    }

    @Test
    void releasesAllButOneStepIfMoreThanTwoAreUnused() throws Exception {
        share.use(100_000);
        share.use(-STEP);
        assertThat(budget.heldBytes()).as("two steps are unused").isEqualTo(100_000 + STEP);
        share.use(-1);
        assertThat(budget.heldBytes()).isEqualTo(100_000 - STEP - 1 + STEP);
        assertThat(share.usedBytes()).isEqualTo(100_000 - STEP - 1);
        share.use(STEP);
        assertThat(budget.heldBytes()).as("the step that was left").isEqualTo(99_999);
    }

    @Test
    void usesTheLastBytesOfABudget() throws Exception {
        MemoryBudget small = MemoryBudget.ofProcess(STEP + 100);
        BudgetShare close = new BudgetShare(small);
        close.use(100);
        assertThat(small.heldBytes()).isEqualTo(STEP + 100);
        close.use(STEP);
        assertThatThrownBy(() -> close.use(1)).isInstanceOf(BudgetExceededException.class);
        assertThat(close.usedBytes()).isEqualTo(STEP + 100);
        MemoryBudget smaller = MemoryBudget.ofProcess(STEP);
        BudgetShare exact = new BudgetShare(smaller);
        exact.use(60);
        exact.use(40);
        assertThat(smaller.heldBytes()).as("without a step").isEqualTo(100);
        assertThatThrownBy(() -> exact.use(STEP)).isInstanceOf(BudgetExceededException.class);
        exact.use(STEP - 100);
        assertThat(smaller.heldBytes()).isEqualTo(exact.usedBytes()).isEqualTo(STEP);
    }

    @Test
    void takesOverWhatAnotherShareHas() throws Exception {
        BudgetShare other = new BudgetShare(budget);
        share.use(10);
        other.use(20);
        share.absorb(other);
        assertThat(share.usedBytes()).isEqualTo(30);
        assertThat(other.usedBytes()).isZero();
        assertThat(budget.heldBytes()).isEqualTo(30 + 2 * STEP);
        other.use(1);
        assertThat(budget.heldBytes()).as("the other has no reservation").isEqualTo(31 + 3 * STEP);
        share.use(-1);
        assertThat(budget.heldBytes()).isEqualTo(29 + STEP + 1 + STEP);
    }
}
