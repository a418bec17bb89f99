package io.fanfold.execute;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SlowStatementsTest {
    private static final long SECOND = 1_000_000_000;

    private final Logger logger = (Logger) LoggerFactory.getLogger(SlowStatements.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void listenNoMore() {
        logger.detachAppender(log);
    }

    private List<String> lines() {
        return log.list.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    @Test
    void logsWhatTookLonger() {
        SlowStatements slow = new SlowStatements(Duration.ofSeconds(1));
        slow.ended("session 5 of me", SECOND, () -> "split: 8 partitions: SELECT ?");
        slow.ended("session 5 of me", SECOND + 1_000_000, () -> "split: 8 partitions: SELECT ?");
        assertThat(lines()).containsExactly("WARN session 5 of me slow: 1001 ms, split: 8 partitions: SELECT ?");
    }

    @Test
    void isOffUntilALimitIsSet() {
        SlowStatements slow = new SlowStatements(Duration.ZERO);
        slow.ended("s", 1000 * SECOND, () -> "split: SELECT ?");
        assertThat(lines()).isEmpty();
        assertThat(slow.on()).isFalse();
        slow.limit(Duration.ofMillis(1));
        assertThat(slow.on()).isTrue();
        slow.ended("s", SECOND, () -> "split: SELECT ?");
        slow.limit(Duration.ZERO);
        slow.ended("s", SECOND, () -> "split: SELECT ?");
        assertThat(lines()).hasSize(1);
    }
}
