package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class OutOfMemoryWatchTest {
    private final List<Integer> halted = Collections.synchronizedList(new ArrayList<>());
    private final OutOfMemoryWatch watch = new OutOfMemoryWatch(halted::add);
    private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    private final Logger log = context.getLogger(OutOfMemoryWatchTest.class);

    @BeforeEach
    void begin() {
        context.addTurboFilter(watch);
    }

    @AfterEach
    void end() {
        context.getTurboFilterList().remove(watch);
    }

    @Test
    void aLoggedOutOfMemoryErrorEndsTheProcess() {
        log.warn("a message", new OutOfMemoryError("Java heap space"));
        assertThat(halted).containsExactly(70);
        log.trace("a level that is not written", new CompletionException(new OutOfMemoryError("Metaspace")));
        log.warn("with {} more", 1, new IOException("cause", new OutOfMemoryError("GC overhead limit exceeded")));
        log.warn("with {} {} {} more", 1, 2, 3, new OutOfMemoryError());
        assertThat(halted).containsExactly(70, 70, 70, 70);
    }

    /** A library logs the exceptions that listeners of its own futures throw. */
    @Test
    void anOutOfMemoryErrorCaughtByALibraryEndsTheProcess() throws Exception {
        EventExecutor executor = new DefaultEventExecutor();
        try {
            DefaultPromise<Void> promise = new DefaultPromise<>(executor);
            promise.addListener(future -> {
                throw new OutOfMemoryError("Java heap space");
            });
            promise.setSuccess(null);
            executor.submit(() -> {}).get(20, TimeUnit.SECONDS);
            assertThat(halted).containsExactly(70);
        } finally {
            executor.shutdownGracefully(0, 0, TimeUnit.SECONDS).await(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void otherFailuresDoNotEndTheProcess() {
        log.warn("a message", new IOException("no space"));
        log.warn("a message with {}", "a value");
        log.warn("no thread", new OutOfMemoryError("unable to create native thread: possibly out of memory"));
        log.warn("buffers", new OutOfMemoryError("Cannot reserve 4194304 bytes of direct buffer memory"));
        assertThat(halted).isEmpty();
    }
}
