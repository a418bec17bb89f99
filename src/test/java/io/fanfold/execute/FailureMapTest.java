package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.ServerException;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Chooses the cause among the failures of several workers. */
class FailureMapTest {
    @Test
    void aCancelledQueryIsNeverTheCause() {
        RefusedException cancelled = FailureMap.cancelled();
        RefusedException killed = FailureMap.of(new ServerException(1317, "70100", "Query execution was interrupted"));
        RefusedException refused = FailureMap.of(new ServerException(1690, "22003", "BIGINT value is out of range"));
        RefusedException warned = new RefusedException(Reason.WARNINGS, "2 in one partition query");
        List<RefusedException> rising = List.of(cancelled, killed, refused);

        for (int i = 0; i < rising.size(); i++) {
            for (int k = 0; k < rising.size(); k++) {
                assertThat(FailureMap.cause(rising.get(k), rising.get(i)))
                        .as("%s, %s", rising.get(i), rising.get(k))
                        .isSameAs(rising.get(Math.max(i, k)));
            }
        }
        assertThat(FailureMap.cause(killed, warned)).isSameAs(warned);
        assertThat(FailureMap.cause(refused, warned)).as("the first counts").isSameAs(refused);
        assertThat(FailureMap.cause(warned, refused)).as("the first counts").isSameAs(warned);
    }
}
