package io.fanfold.client;

import java.io.IOException;

/** There is no heap for a row. The rest of the row is not read, so the connection is broken. */
public final class NoRoomException extends IOException {
    private static final long serialVersionUID = 1;

    NoRoomException(String message) {
        super(message);
    }
}
