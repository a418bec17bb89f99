package io.fanfold.sql;

import static io.fanfold.reason.Refusals.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.reason.Refusal;
import io.fanfold.reason.RefusedException;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CachingSelectReaderTest {
    private static final SqlDialect PLAIN = new SqlDialect(ServerFlavor.MYSQL, false, false, StandardCharsets.UTF_8);
    private static final SqlDialect ANSI = new SqlDialect(ServerFlavor.MYSQL, true, false, StandardCharsets.UTF_8);

    private final ScheduledExecutorService watchdog = Executors.newSingleThreadScheduledExecutor();
    private final SelectReader reader = new SelectReader(watchdog, Duration.ofMinutes(1));

    @AfterEach
    void stop() {
        watchdog.shutdownNow();
    }

    @Test
    void remembersByTextAndDialect() throws RefusedException {
        CachingSelectReader caching = new CachingSelectReader(reader, 1 << 20);
        StatementModel first = caching.read("select \"a\" from t", PLAIN);
        assertThat(caching.read("select \"a\" from t", PLAIN)).isSameAs(first);
        StatementModel ansi = caching.read("select \"a\" from t", ANSI);
        assertThat(ansi).isNotEqualTo(first);
        assertThat(caching.read("select \"a\" from t", ANSI)).isSameAs(ansi);
        Refusal refused = refusalOf(() -> caching.read("select a", PLAIN));
        assertThat(refusalOf(() -> caching.read("select a", PLAIN))).isEqualTo(refused);
    }

    @Test
    void staysWithinItsBound() throws RefusedException {
        CachingSelectReader caching = new CachingSelectReader(reader, 20_000);
        for (int i = 0; i < 200; i++) {
            caching.read("select a from t where b = " + i, PLAIN);
        }
        assertThat(caching.weightedSize()).isPositive().isLessThanOrEqualTo(20_000);
    }

    @Test
    void doesNotRememberLargeTextsAndTimeouts() throws RefusedException {
        CachingSelectReader none = new CachingSelectReader(reader, 0);
        none.read("select a from t", PLAIN);
        assertThat(none.weightedSize()).isZero();
        CachingSelectReader large = new CachingSelectReader(reader, 1L << 40);
        refusalOf(() -> large.read("select '" + "x".repeat(SelectReader.MAX_LENGTH) + "' from t", PLAIN));
        assertThat(large.weightedSize()).isZero();
        InstantAlarm alarm = new InstantAlarm();
        try {
            CachingSelectReader hasty = new CachingSelectReader(new SelectReader(alarm, Duration.ZERO), 1 << 20);
            refusalOf(() -> hasty.read("select a from t", PLAIN));
            assertThat(hasty.weightedSize()).isZero();
        } finally {
            alarm.shutdownNow();
        }
    }
}
