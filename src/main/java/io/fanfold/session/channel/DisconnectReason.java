package io.fanfold.session.channel;

/** Why a session ended. */
public enum DisconnectReason {
    CLIENT_CLOSED("the client closed its connection"),
    CLIENT_FAILED("the client's connection failed"),
    CLIENT_TOO_SLOW("the client did not take its answer in time"),
    CLIENT_PROTOCOL("the client did not follow the protocol"),
    BACKEND_UNREACHABLE("the server could not be reached"),
    BACKEND_CLOSED("the server closed the connection"),
    BACKEND_FAILED("the server's connection failed"),
    BACKEND_IS_PROXY("the server's address leads to the proxy itself"),
    BACKEND_REFUSED("the server refused the connection"),
    BACKEND_PROTOCOL("the server did not follow the protocol"),
    HANDSHAKE_TIMEOUT("the connection was not authenticated in time"),
    DRAINED("the proxy stops, and the client had nothing open"),
    STOPPED("the proxy stops");

    private final String sentence;

    DisconnectReason(String sentence) {
        this.sentence = sentence;
    }

    /** Whether the cause is the server, if the client has not logged in yet. */
    public boolean ofServer() {
        return switch (this) {
            case BACKEND_UNREACHABLE,
                    BACKEND_CLOSED,
                    BACKEND_FAILED,
                    BACKEND_IS_PROXY,
                    BACKEND_REFUSED,
                    BACKEND_PROTOCOL,
                    HANDSHAKE_TIMEOUT -> true;
            case CLIENT_CLOSED, CLIENT_FAILED, CLIENT_TOO_SLOW, CLIENT_PROTOCOL, DRAINED, STOPPED -> false;
        };
    }

    public String sentence() {
        return sentence;
    }
}
