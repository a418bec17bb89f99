package io.fanfold.client;

import java.io.IOException;

/** What a ping's reply says of the statement before it. */
public final class Ping {
    private Ping() {}

    /** How many warnings the server says that it holds; a ping leaves them as they are. */
    public static int warnings(WireConnection connection) throws IOException {
        if (!connection.ping()) {
            throw new IOException("no reply to a ping");
        }
        return connection.lastWarnings();
    }
}
