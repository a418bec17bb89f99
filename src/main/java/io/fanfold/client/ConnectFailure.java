package io.fanfold.client;

import java.net.SocketTimeoutException;
import java.net.UnknownHostException;

/**
 * The reason why a worker connection could not be opened, worded for users.
 *
 * @param errno the server's error number; 0 if the server did not send an error
 * @param text contains neither Java class names nor the server's address
 */
public record ConnectFailure(int errno, String text) {
    /** The start of the JDK's message; in some versions the address follows. */
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
