package io.fanfold.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import io.netty.util.internal.OutOfDirectMemoryError;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

/**
 * Ends the process when its heap is exhausted. It cannot be known which threads the {@link OutOfMemoryError} hit, and
 * what they left unfinished; a supervisor restarts the process. Thread-safe.
 *
 * <p>Code that catches such an error logs it, libraries included, and every log call passes this filter, at any level.
 * Uncaught errors arrive here too. Two kinds of error do not end the process. Without direct memory only one session
 * ends. Without another thread a statement is passed through.
 */
final class OutOfMemoryWatch extends TurboFilter {
    /** EX_SOFTWARE of sysexits.h: a supervisor may restart the process. */
    static final int EXHAUSTED = 70;

    private static final int MOST_CAUSES = 20;

    /** Allocated in advance, while there is memory for it. */
    private final byte[] farewell =
            "fanfold: the heap is exhausted; the process ends with status 70. Start it again; -Xmx sets the heap size\n"
                    .getBytes(StandardCharsets.UTF_8);

    private final FileOutputStream standardError = new FileOutputStream(FileDescriptor.err);
    private final IntConsumer halt;

    /** @param halt ends the process with a status, at once */
    OutOfMemoryWatch(IntConsumer halt) {
        this.halt = halt;
    }

    /** Watches this process until it ends. */
    static void begin() {
        OutOfMemoryWatch watch =
                new OutOfMemoryWatch(status -> Runtime.getRuntime().halt(status));
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
            try {
                watch.seen(failure);
                LoggerFactory.getLogger(OutOfMemoryWatch.class).error("thread {} ends", thread.getName(), failure);
            } catch (OutOfMemoryError e) {
                watch.end();
            }
        });
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.addTurboFilter(watch);
        }
    }

    @Override
    public FilterReply decide(
            @Nullable Marker marker,
            Logger logger,
            Level level,
            @Nullable String format,
            Object @Nullable [] parameters,
            @Nullable Throwable failure) {
        seen(failure);
        if (parameters != null
                && parameters.length > 0
                && parameters[parameters.length - 1] instanceof Throwable last) {
            seen(last);
        }
        return FilterReply.NEUTRAL;
    }

    private void seen(@Nullable Throwable failure) {
        Throwable at = failure;
        for (int depth = 0; at != null && depth < MOST_CAUSES; depth++) {
            if (at instanceof OutOfMemoryError error && ofHeap(error)) {
                end();
                return;
            }
            at = at.getCause();
        }
    }

    private static boolean ofHeap(OutOfMemoryError error) {
        String what = String.valueOf(error.getMessage());
        return !(error instanceof OutOfDirectMemoryError)
                && !what.contains("direct")
                && !what.contains("native thread");
    }

    private void end() {
        try {
            standardError.write(farewell);
        } catch (IOException e) {
            // the process ends anyway
        } finally {
            halt.accept(EXHAUSTED);
        }
    }
}
