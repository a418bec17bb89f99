package io.fanfold.reason;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Refusal.HoldsFor;
import io.fanfold.reason.Refusal.Remedy;
import org.junit.jupiter.api.Test;

class RefusalTest {
    @Test
    void holdsAsUsualForItsReason() {
        assertThat(new Refusal(Reason.SUBQUERY, "x").holdsFor()).isEqualTo(HoldsFor.TEXT);
        assertThat(new Refusal(Reason.FEW_ROWS, "x").holdsFor()).isEqualTo(HoldsFor.MOMENT);
        assertThat(new Refusal(Reason.KEY_TYPE, "x").holdsFor()).isEqualTo(HoldsFor.SESSION);
        assertThat(new RefusedException(Reason.SUBQUERY, "x", HoldsFor.MOMENT).refusal())
                .isEqualTo(new Refusal(Reason.SUBQUERY, "x", Remedy.NONE, HoldsFor.MOMENT));
    }

    @Test
    void hasARemedyOnlyIfARuleSaysSo() {
        assertThat(new RefusedException(Reason.AGGREGATE, "x").refusal().remedy())
                .isEqualTo(Remedy.NONE);
        assertThat(new RefusedException(Reason.AGGREGATE, "x", Remedy.GATHER).refusal())
                .isEqualTo(new Refusal(Reason.AGGREGATE, "x", Remedy.GATHER, HoldsFor.SESSION));
    }
}
