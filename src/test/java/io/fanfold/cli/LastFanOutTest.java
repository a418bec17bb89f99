package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.metrics.FanOutReport;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.metrics.VerifyReport;
import io.fanfold.metrics.VerifyResult;
import io.fanfold.reason.Reason;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LastFanOutTest {
    private static final Map<Class<?>, Object> ARGUMENTS = Map.of(
            int.class,
            3,
            long.class,
            7L,
            boolean.class,
            true,
            String.class,
            "verified",
            List.class,
            List.of(5),
            Reason.class,
            Reason.FEW_ROWS,
            FanfoldMetrics.ReuseOutcome.class,
            FanfoldMetrics.ReuseOutcome.REUSED,
            VerifyReport.class,
            new VerifyReport(VerifyResult.SAME, 9));

    @Test
    void everyEventIsForwarded() throws Exception {
        List<String> events = new ArrayList<>();
        FanfoldMetrics next = (FanfoldMetrics) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {FanfoldMetrics.class}, (proxy, method, arguments) -> {
                    events.add(method.getName());
                    return null;
                });
        LastFanOut last = new LastFanOut(next);
        List<String> sent = new ArrayList<>();
        for (Method event : FanfoldMetrics.class.getMethods()) {
            sent.add(event.getName());
            event.invoke(
                    last,
                    Arrays.stream(event.getParameterTypes()).map(ARGUMENTS::get).toArray());
        }
        assertThat(events).isEqualTo(sent).contains("reuse");
    }

    @Test
    void theLastStatementIsKnown() {
        LastFanOut last = new LastFanOut(FanfoldMetrics.NONE);
        last.attempted();
        last.fannedOut(3, 2, "verified", List.of(5), 7);
        assertThat(last.report()).isEqualTo(FanOutReport.split(3, 2, "verified", 1));
        assertThat(last.verification()).isNotDone();
        last.verified(new VerifyReport(VerifyResult.SAME, 9));
        assertThat(last.verification()).isCompletedWithValue(new VerifyReport(VerifyResult.SAME, 9));
        last.attempted();
        last.passedThrough(Reason.FEW_ROWS);
        assertThat(last.report()).isEqualTo(FanOutReport.passed("few_rows"));
        assertThat(last.verification()).isNotDone();
    }
}
