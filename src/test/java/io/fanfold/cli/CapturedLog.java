package io.fanfold.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** Captures what Fanfold logs while this is open. Thread-safe. */
final class CapturedLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.fanfold");
    private final Level before = logger.getLevel();

    private CapturedLog() {}

    /** Captures lines of this level and above. */
    static CapturedLog of(Level level) {
        CapturedLog log = new CapturedLog();
        log.setContext(log.logger.getLoggerContext());
        log.start();
        log.logger.setLevel(level);
        log.logger.addAppender(log);
        return log;
    }

    @Override
    protected void append(ILoggingEvent event) {
        lines.add(event.getLevel() + " " + event.getFormattedMessage());
    }

    /** Returns the lines with their levels. */
    List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setLevel(before);
        stop();
    }
}
