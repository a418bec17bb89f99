package io.fanfold.wire;

import java.io.IOException;

/** Bytes violate the protocol. Their connection can no longer be used. */
public final class ProtocolException extends IOException {
    private static final long serialVersionUID = 1;

    public ProtocolException(String message) {
        super(message);
    }
}
