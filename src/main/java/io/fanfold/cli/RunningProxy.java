package io.fanfold.cli;

import java.util.concurrent.CompletableFuture;

/** A proxy that accepts clients until it is closed. Safe for use by several threads. */
public interface RunningProxy extends AutoCloseable {
    /** The TCP port it listens on, 1..65535. */
    int port();

    /**
     * What happened to the last statement considered, of any client; {@link FanOutReport#NONE} before the first. A
     * client that has its answer and then pinged the server finds the report of its statement here.
     */
    FanOutReport lastFanOut();

    /** Completed when some clients can be served no more, so that the process has to be started anew. */
    CompletableFuture<Void> broken();

    /** Reads certificates again whose files have changed; what cannot be read is logged, and the last ones hold. */
    void readCertificates();

    /** Stops accepting, ends the clients and the workers, and waits for that. Does nothing the second time. */
    @Override
    void close();
}
