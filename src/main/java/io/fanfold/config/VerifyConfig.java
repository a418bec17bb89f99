package io.fanfold.config;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of shadow verification: some statements that were split run again on one worker, without a split. Their share
 * is {@link FanOutConfig#verifyShare}, because tables may have shares of their own.
 *
 * @param connections the most statements that are verified at the same time, each on one worker connection
 * @param time the most time for one of them
 * @param directory where the reports of different answers are written; null for none
 * @param literals whether reports may contain the literals of statements
 */
@RecordBuilder
public record VerifyConfig(
        int connections, Duration time, @Nullable Path directory, boolean literals)
        implements VerifyConfigBuilder.With {

    /** The largest number of statements that are verified at the same time. */
    static final int MOST_CONNECTIONS = 1000;

    public static VerifyConfig defaults() {
        return new VerifyConfig(1, Duration.ofMinutes(1), null, false);
    }
}
