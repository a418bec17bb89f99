package io.fanfold.backend;

import java.net.SocketTimeoutException;
import java.net.UnknownHostException;

/**
 * Why a worker connection could not be opened, in words for a user.
 *
 * @param errno the server's error number; 0 when the server did not answer with an error
 * @param text names no Java class and does not repeat the server's address
 */
public record ConnectFailure(int errno, String text) {
    /** How the JDK's message begins; in some versions the address follows. */
    private static final String REFUSED = "Connection refused";

    /** Describes an exception of {@link WireConnection#open}. */
    public static ConnectFailure of(Exception cause) {
        if (cause instanceof ServerException error) {
            return new ConnectFailure(error.errno(), error.errno() + " " + error.getMessage());
        }
        String message = cause.getMessage();
        if (cause instanceof UnknownHostException) {
            return new ConnectFailure(0, "the host name is unknown");
        }
        if (cause instanceof SocketTimeoutException) {
            return new ConnectFailure(0, "no answer within backend.connect-timeout");
        }
        if (message == null || message.isBlank()) {
            return new ConnectFailure(0, "the connection failed");
        }
        return new ConnectFailure(0, message.startsWith(REFUSED) ? "connection refused" : message);
    }

    @Override
    public String toString() {
        return text;
    }
}
