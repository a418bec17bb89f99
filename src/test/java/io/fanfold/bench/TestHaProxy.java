package io.fanfold.bench;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.fanfold.config.HostPort;
import java.io.IOException;
import java.nio.file.Path;

/** HAProxy in front of a proxy of this JVM. */
final class TestHaProxy {
    private TestHaProxy() {}

    /**
     * Starts HAProxy. Aborts the test if it is not installed.
     *
     * @param port the port of the proxy
     * @param option the server option that sends the client's address to the proxy
     */
    static HaProxyRelay before(int port, String option) throws IOException, InterruptedException {
        return HaProxyRelay.start(installed(), new HostPort("127.0.0.1", port), option);
    }

    /** The path of HAProxy. Aborts the test if it is not installed. */
    static Path installed() {
        Path binary = HaProxyRelay.installed();
        if (binary == null) {
            return Boolean.getBoolean("fanfold.it.required") ? fail("HAProxy is required") : abort("no HAProxy");
        }
        return binary;
    }
}
