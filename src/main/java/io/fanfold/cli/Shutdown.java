package io.fanfold.cli;

import java.util.concurrent.ExecutionException;

/** Waiting for the end of the process. */
public final class Shutdown {
    /** EX_SOFTWARE of sysexits.h: whoever started the process may start it again. */
    private static final int BROKEN = 70;

    private Shutdown() {}

    /**
     * Waits until the process is told to end (SIGINT, SIGTERM), which closes the proxy before the JVM goes; returns only when the
     * proxy is broken.
     *
     * @return the status with which the process ends then
     */
    public static int await(RunningProxy proxy) throws InterruptedException {
        Runtime.getRuntime().addShutdownHook(new Thread(proxy::close, "proxy-stop"));
        try {
            proxy.broken().get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("it is never completed so", e);
        }
        return BROKEN;
    }
}
