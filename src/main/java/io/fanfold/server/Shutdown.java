package io.fanfold.server;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for the end of the process. The first SIGINT or SIGTERM asks for it, even while the proxy is starting, since
 * clients may be connected by then. The second one ends the process at once.
 */
public final class Shutdown {
    private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);
    private static final int DONE = 0;

    /** EX_SOFTWARE of sysexits.h: a supervisor may restart the process. */
    private static final int BROKEN = 70;

    /** A shell's exit status for a process ended by SIGTERM. */
    private static final int ENDED_AT_ONCE = 143;

    /** A shell's exit status for a process ended by SIGINT. */
    public static final int INTERRUPTED = 130;

    private final CompletableFuture<Integer> requested = new CompletableFuture<>();
    private final AtomicBoolean again = new AtomicBoolean();

    private Shutdown() {}

    /**
     * From now on SIGINT runs a task and ends the process with its usual status, until {@link #listen} is called.
     *
     * @param goodbye runs on a thread of its own
     */
    public static void onInterrupt(Runnable goodbye) {
        Signals.on("INT", () -> {
            goodbye.run();
            System.exit(INTERRUPTED);
        });
    }

    /** From now on SIGINT and SIGTERM are handled here. */
    public static Shutdown listen() {
        Shutdown shutdown = new Shutdown();
        for (String name : List.of("TERM", "INT")) {
            Signals.on(name, () -> shutdown.request(name));
        }
        return shutdown;
    }

    private void request(String name) {
        if (again.compareAndSet(false, true)) {
            LOG.info("SIG{}: stopping; a second signal stops at once", name);
            requested.complete(DONE);
        } else {
            LOG.info("SIG{} again: stopping at once", name);
            System.exit(ENDED_AT_ONCE);
        }
    }

    /**
     * Waits until the process is asked to end or the proxy is broken. Then the caller closes the proxy.
     *
     * @param proxy also closed if the JVM ends for another reason
     * @return the exit status of the process
     */
    public int await(RunningProxy proxy) throws InterruptedException {
        Runtime.getRuntime().addShutdownHook(new Thread(proxy::close, "proxy-stop"));
        try {
            return requested
                    .applyToEither(proxy.broken().thenApply(none -> BROKEN), status -> status)
                    .get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("it is never completed so", e);
        }
    }
}
