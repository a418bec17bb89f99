package io.fanfold.wire;

/** What the responses of one connection say about the session. For use by one thread. */
final class ServerState {
    private final long capabilities;
    private int status;
    private int lastError;

    /** @param status the status flags of the OK packet that ended authentication */
    ServerState(long capabilities, int status) {
        this.capabilities = capabilities;
        this.status = status;
    }

    /** Whether any of these capabilities was negotiated. */
    boolean has(long any) {
        return Capability.has(capabilities, any);
    }

    /** Returns the last status flags, see {@link ServerStatus}. */
    int status() {
        return status;
    }

    void reported(int flags) {
        status = flags;
    }

    /** Returns the number of the last error; 0 if there was none. */
    int lastError() {
        return lastError;
    }

    void failed(int errno) {
        lastError = errno;
    }
}
