package io.fanfold.cli;

import java.util.concurrent.CountDownLatch;

/** Waiting for the end of the process. */
public final class Shutdown {
    private Shutdown() {}

    /**
     * Waits until the process is told to end (SIGINT, SIGTERM), which closes the proxy before the JVM goes; else never
     * returns.
     */
    public static void await(RunningProxy proxy) throws InterruptedException {
        Runtime.getRuntime().addShutdownHook(new Thread(proxy::close, "proxy-stop"));
        new CountDownLatch(1).await();
    }
}
