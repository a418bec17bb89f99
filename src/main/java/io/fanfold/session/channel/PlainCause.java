package io.fanfold.session.channel;

import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.unix.Errors.NativeIoException;
import io.netty.handler.ssl.NotSslRecordException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.security.GeneralSecurityException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Describes in plain words why a connection failed. The text is used in errors for clients, so it contains no names of
 * Java classes. It contains no address either, since the surrounding message names it.
 */
public final class PlainCause {
    private static final Logger LOG = LoggerFactory.getLogger(PlainCause.class);
    private static final Pattern CLASS_NAME = Pattern.compile("\\b(?:[a-z]\\w{0,40}+\\.){1,9}+[A-Z]\\w{0,60}+: ?");

    /** What Netty's native code writes before the system's message. */
    private static final Pattern SYSTEM_CALL =
            Pattern.compile("^\\w{1,40}\\(\\.\\.\\) failed with error\\(-\\d{1,5}\\): ?");

    /** What BoringSSL writes before its reason, such as {@code SSLV3_ALERT_HANDSHAKE_FAILURE}. */
    private static final Pattern ERROR_CODE =
            Pattern.compile("^error:[0-9a-f]{1,16}:SSL routines:\\w{1,40}:(?=[A-Z])", Pattern.CASE_INSENSITIVE);

    private PlainCause() {}

    public static String of(Throwable cause) {
        if (cause instanceof UnknownHostException) {
            return "unknown host";
        } else if (cause instanceof ConnectTimeoutException) {
            return "timed out";
        } else if (cause instanceof NoRouteToHostException) {
            // Netty's native code gives no message
            return "no route to host";
        } else if (cause instanceof ClosedChannelException) {
            return "the connection was closed";
        } else if (cause instanceof NotSslRecordException) {
            return "the other side does not speak TLS";
        } else if (cause instanceof SocketException
                || cause instanceof NativeIoException
                || cause instanceof SSLException) {
            // Netty adds the address and the system call to a message of the system; JSSE adds the names of classes,
            // and BoringSSL its own error code
            return innermostMessage(cause);
        }
        String message = cause.getMessage();
        return message == null ? "unknown cause" : message;
    }

    /** Returns a message of the system without the name of the system call that Netty writes before it. */
    public static @Nullable String withoutCall(@Nullable String message) {
        return message == null ? null : SYSTEM_CALL.matcher(message).replaceFirst("");
    }

    /** Describes a failure as {@link #of} does, and logs its cause at DEBUG. */
    public static String text(@Nullable Throwable cause) {
        if (cause == null) {
            return "unknown cause";
        }
        LOG.debug("a connection failed", cause);
        return of(cause);
    }

    /** Whether the other side's certificate was not accepted. */
    public static boolean isCertificate(Throwable cause) {
        return innermost(cause) instanceof GeneralSecurityException;
    }

    private static Throwable innermost(Throwable cause) {
        Throwable last = cause;
        for (Throwable next = cause.getCause(); next != null; next = last.getCause()) {
            last = next;
        }
        return last;
    }

    private static String innermostMessage(Throwable cause) {
        String message = innermost(cause).getMessage();
        if (message == null) {
            message = cause.getMessage();
        }
        if (message == null || message.isEmpty()) {
            return "unknown cause";
        }
        String plain =
                SYSTEM_CALL.matcher(CLASS_NAME.matcher(message).replaceAll("")).replaceFirst("");
        Matcher code = ERROR_CODE.matcher(plain);
        if (code.find()) {
            return plain.substring(code.end()).replace('_', ' ').toLowerCase(Locale.ROOT);
        }
        // as part of a sentence: "connection refused", but "TLS alert" and "PKIX path" stay
        boolean word = plain.length() > 1 && Character.isLowerCase(plain.charAt(1));
        return word ? plain.substring(0, 1).toLowerCase(Locale.ROOT) + plain.substring(1) : plain;
    }
}
