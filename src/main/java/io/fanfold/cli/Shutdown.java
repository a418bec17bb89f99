package io.fanfold.cli;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waiting for the end of the process. */
public final class Shutdown {
    private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);
    private static final int DONE = 0;

    /** EX_SOFTWARE of sysexits.h: whoever started the process may start it again. */
    private static final int BROKEN = 70;

    /** Of a shell for a process that was ended by SIGTERM. */
    private static final int ENDED_AT_ONCE = 143;

    private Shutdown() {}

    /**
     * Waits until the process is told to end (SIGINT, SIGTERM) or the proxy is broken. The caller closes the proxy then; who tells a
     * second time while it does so ends the process at once.
     *
     * @param proxy closed as well where the JVM is ended otherwise
     * @param reread what SIGHUP does, on a thread of its own
     * @return the status with which the process ends then
     */
    public static int await(RunningProxy proxy, Runnable reread) throws InterruptedException {
        Runtime.getRuntime().addShutdownHook(new Thread(proxy::close, "proxy-stop"));
        CompletableFuture<Integer> told = new CompletableFuture<>();
        AtomicBoolean again = new AtomicBoolean();
        for (String name : List.of("TERM", "INT")) {
            Signals.on(name, () -> {
                if (again.compareAndSet(false, true)) {
                    LOG.info("SIG{}: stopping; a second one stops at once", name);
                    told.complete(DONE);
                } else {
                    LOG.info("SIG{} again: stopping at once", name);
                    System.exit(ENDED_AT_ONCE);
                }
            });
        }
        Signals.on("HUP", reread);
        try {
            return told.applyToEither(proxy.broken().thenApply(none -> BROKEN), status -> status)
                    .get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("it is never completed so", e);
        }
    }
}
