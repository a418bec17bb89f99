package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.sql.SelectReader;
import io.fanfold.sql.SqlDialect;
import io.fanfold.sql.StatementModel;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;

class FanOutThreadsTest {
    /** With the JVM's default stack of 1 MiB, the parser would refuse the longest chain as nested too deeply. */
    @Test
    void theLongestChainFitsTheStack() throws Exception {
        SqlDialect dialect = new SqlDialect(ServerFlavor.MYSQL, false, false, StandardCharsets.UTF_8);
        ScheduledExecutorService watchdog = Executors.newSingleThreadScheduledExecutor();
        try {
            SelectReader reader = new SelectReader(watchdog, Duration.ofMinutes(1));
            FutureTask<StatementModel> reading =
                    new FutureTask<>(() -> reader.read("select a from t where a = 1" + " or a".repeat(2_490), dialect));
            FanOutThreads.named("reading").newThread(reading).start();
            assertThat(reading.get().select()).isPresent();
        } finally {
            watchdog.shutdownNow();
        }
    }
}
