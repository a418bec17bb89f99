package io.fanfold.server;

import io.fanfold.inspect.Inspection;
import io.fanfold.metrics.FanOutReport;
import io.fanfold.metrics.VerifyReport;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** A proxy that accepts clients until it is closed. Thread-safe. */
public interface RunningProxy extends AutoCloseable {
    /** The TCP port it listens on, 1 to 65535. */
    int port();

    /** The TCP port of HTTP, 1 to 65535; empty if there is none. */
    default OptionalInt httpPort() {
        return OptionalInt.empty();
    }

    /**
     * What happened to the last statement considered, of any client; {@link FanOutReport#NONE} before the first. If a
     * client has its answer and has then pinged the server, the report of its statement is here.
     */
    FanOutReport lastFanOut();

    /**
     * Completes when the answer to the last statement considered has been verified; never if it is not verified. For a
     * proxy with one client, which waits for it before its next statement.
     */
    CompletableFuture<VerifyReport> lastVerification();

    /** What the proxy found out last about the server, the worker account and the settings. */
    Inspection inspection();

    /** Completed when some clients cannot be served any more and the process must be restarted. */
    CompletableFuture<Void> broken();

    /** Stops accepting clients, ends sessions and workers, and waits for their end. A second call does nothing. */
    @Override
    void close();
}
