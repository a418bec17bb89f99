package io.fanfold.client;

import java.io.IOException;

/** Reads what the reply to a ping says about the statement before it. */
public final class Ping {
    private Ping() {}

    /** Returns the server's number of warnings, which a ping does not change. */
    public static int warnings(WireConnection connection) throws IOException {
        if (!connection.ping()) {
            throw new IOException("no reply to a ping");
        }
        return connection.lastWarnings();
    }
}
