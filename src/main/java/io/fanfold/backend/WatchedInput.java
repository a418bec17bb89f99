package io.fanfold.backend;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.util.function.BooleanSupplier;

/**
 * The bytes of a socket that may be silent for as long as the server works: when its timeout is over, the server is asked.
 * What it has sent is here long before it calls a statement ended, so that an answer which is not here a whole timeout later
 * will not come. For one thread.
 */
final class WatchedInput extends FilterInputStream {
    private final BooleanSupplier runs;

    /** @param runs whether the server works on the statement whose answer is read */
    WatchedInput(InputStream in, BooleanSupplier runs) {
        super(in);
        this.runs = runs;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        boolean ended = false;
        while (true) {
            try {
                return super.read(bytes, offset, length);
            } catch (SocketTimeoutException e) {
                if (ended) {
                    SocketTimeoutException lost = new SocketTimeoutException(
                            "the server has ended the statement, its answer is not complete");
                    lost.initCause(e);
                    throw lost;
                }
                ended = !runs.getAsBoolean();
            }
        }
    }
}
