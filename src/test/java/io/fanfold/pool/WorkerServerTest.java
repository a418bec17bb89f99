package io.fanfold.pool;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.ReplicaConfig;
import io.fanfold.config.Secret;
import io.fanfold.config.WorkersConfig;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class WorkerServerTest {
    @Test
    void theLogHasEachCauseOfSkippedStatementsOnce() {
        Logger logger = (Logger) LoggerFactory.getLogger(WorkerServer.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        WorkersConfig workers = WorkersConfig.defaults().with("worker", Secret.EMPTY, 1);
        try (WorkerPool pool = new WorkerPool(BackendConfig.defaults(), null, workers)) {
            WorkerServer replica = new WorkerServer(new ReplicaConfig("r", 3306, 1), pool, false, System::nanoTime);
            for (int i = 0; i < 100; i++) {
                replica.skip("it lacks table a");
                replica.skip("it lacks table b");
            }
            assertThat(replica.skipped()).contains("it lacks table b");
            replica.worked();
            assertThat(replica.skipped()).isEmpty();
        } finally {
            logger.detachAppender(lines);
        }
        List<String> messages =
                lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
        assertThat(messages)
                .containsExactly(
                        "a statement does not read replica r:3306: it lacks table a (logged at most once an hour)",
                        "a statement does not read replica r:3306: it lacks table b (logged at most once an hour)");
    }
}
