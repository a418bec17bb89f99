package io.fanfold.tls;

import java.io.IOException;

/** A certificate or key is unusable. The message names the file and the problem. */
public final class TlsException extends IOException {
    private static final long serialVersionUID = 1;

    TlsException(String message) {
        super(message);
    }

    TlsException(String message, Throwable cause) {
        super(message + ": " + (cause.getMessage() == null ? cause.toString() : cause.getMessage()), cause);
    }
}
