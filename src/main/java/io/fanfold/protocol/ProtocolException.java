package io.fanfold.protocol;

import java.io.IOException;

/** Bytes that do not follow the protocol. The connection they came from cannot be used any more. */
public final class ProtocolException extends IOException {
    private static final long serialVersionUID = 1;

    public ProtocolException(String message) {
        super(message);
    }
}
