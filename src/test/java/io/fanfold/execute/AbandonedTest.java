package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.backend.ServerException;
import io.fanfold.metrics.Reason;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which of several workers' failures is the cause. */
class AbandonedTest {
    @Test
    void whatWasCancelledIsNeverTheCause() {
        Abandoned cancelled = Abandoned.cancelled();
        Abandoned killed = Abandoned.by(new ServerException(1317, "70100", "Query execution was interrupted"));
        Abandoned refused = Abandoned.by(new ServerException(1690, "22003", "BIGINT value is out of range"));
        Abandoned warned = new Abandoned(Reason.WARNINGS, "2 in one partition query");
        List<Abandoned> rising = List.of(cancelled, killed, refused);

        for (int i = 0; i < rising.size(); i++) {
            for (int k = 0; k < rising.size(); k++) {
                assertThat(rising.get(i).tellsMoreThan(rising.get(k)))
                        .as("%s, %s", rising.get(i), rising.get(k))
                        .isEqualTo(i > k);
            }
        }
        assertThat(warned.tellsMoreThan(killed)).isTrue();
        assertThat(warned.tellsMoreThan(refused)).as("the first counts").isFalse();
        assertThat(refused.tellsMoreThan(warned)).as("the first counts").isFalse();
    }
}
