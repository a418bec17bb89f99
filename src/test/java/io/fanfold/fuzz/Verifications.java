package io.fanfold.fuzz;

import io.fanfold.metrics.VerifyResult;
import io.fanfold.server.RunningProxy;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Counts the verifications of split statements by their result. Not thread-safe. */
final class Verifications {
    private static final long PATIENCE_SECONDS = 90;

    private final Map<VerifyResult, Integer> results = new EnumMap<>(VerifyResult.class);

    /** Waits for the verification of the last statement of a proxy, which was split and is verified. */
    void await(RunningProxy proxy) {
        VerifyResult result = VerifyResult.UNFINISHED;
        try {
            result = proxy.lastVerification()
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .result();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // counts as unfinished
        }
        results.merge(result, 1, Integer::sum);
    }

    int alarms() {
        return results.getOrDefault(VerifyResult.DIFFERENT, 0);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("verified:");
        results.forEach((result, count) ->
                text.append(' ').append(result.label()).append('=').append(count));
        return text.append('\n').toString();
    }
}
