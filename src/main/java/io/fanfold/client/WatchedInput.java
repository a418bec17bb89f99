package io.fanfold.client;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Input of a socket that may be silent while the server runs a statement. After each timeout it checks whether the
 * statement still runs. The reply's last bytes arrive long before the server lists the statement as ended. So a reply
 * still missing one timeout after that will not arrive. For use by one thread.
 */
final class WatchedInput extends FilterInputStream {
    private final BooleanSupplier runs;

    /** @param runs whether the server still runs the statement whose reply is read */
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
