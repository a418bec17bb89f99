package io.fanfold.client;

import io.fanfold.wire.ProxyHeader;
import io.fanfold.wire.ProxyHeaderWriter;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The socket of a {@link WireConnection}: its timeouts, the check of a silent server, and its end. For use by one thread
 * at a time, except {@link #abort} and {@link #broken}.
 */
final class WireSocket {
    private final Socket socket;
    private final PacketChannel channel;

    /** The bytes of the server, decrypted. */
    private InputStream input;

    private @Nullable BooleanSupplier runs;
    private Duration silence = Duration.ZERO;

    /** Zero means no limit, or the limit that the watch sets. */
    private Duration readTimeout = Duration.ZERO;

    private volatile boolean broken;

    private WireSocket(Socket socket, InputStream input, PacketChannel channel) {
        this.socket = socket;
        this.input = input;
        this.channel = channel;
    }

    /** Connects; the timeout of the settings for this holds until {@link #readTimeout} is called. */
    static WireSocket connect(WireSettings settings) throws IOException {
        Socket socket = new Socket();
        boolean connected = false;
        try {
            int millis = millis(settings.connectTimeout());
            socket.setTcpNoDelay(true);
            KeepAlive.set(socket, settings.keepAlive());
            socket.connect(new InetSocketAddress(settings.host(), settings.port()), millis);
            socket.setSoTimeout(millis);
            socket.getOutputStream()
                    .write(ProxyHeaderWriter.bytes(settings.proxyProtocol(), new ProxyHeader.Unknown()));
            InputStream input = socket.getInputStream();
            PacketChannel channel = new PacketChannel(input, socket.getOutputStream(), settings.maxPayloadBytes());
            connected = true;
            return new WireSocket(socket, input, channel);
        } finally {
            if (!connected) {
                socket.close();
            }
        }
    }

    private static int millis(Duration duration) {
        long millis = Math.min(duration.toMillis(), Integer.MAX_VALUE);
        return duration.isZero() ? 0 : (int) Math.max(1, millis);
    }

    /** Logs in, over TLS if the settings or the server ask for it. */
    Login.Session login(WireSettings settings) throws IOException, ServerException {
        Login.Session session = Login.in(channel, settings, socket);
        if (session.encrypted() != null) {
            input = session.encrypted().getInputStream();
        }
        return session;
    }

    PacketChannel channel() {
        return channel;
    }

    InetSocketAddress address() {
        return new InetSocketAddress(socket.getInetAddress(), socket.getPort());
    }

    /** Whether it was aborted; once true, always true. */
    boolean broken() {
        return broken;
    }

    /** Sets how long the server may be silent. Zero means no limit, but see {@link #watch}. */
    void readTimeout(Duration timeout) throws IOException {
        BooleanSupplier asking = timeout.isZero() ? runs : null;
        try {
            socket.setSoTimeout(millis(asking == null ? timeout : silence));
        } catch (SocketException e) {
            throw broke(e);
        }
        channel.readFrom(asking == null ? input : new WatchedInput(input, asking));
        readTimeout = timeout;
    }

    Duration readTimeout() {
        return readTimeout;
    }

    /**
     * Checks a silent server from now on, if there is no read timeout.
     *
     * @param every how long the server may be silent before each check
     * @param running whether the server still runs the statement whose reply is read
     */
    void watch(Duration every, BooleanSupplier running) throws IOException {
        runs = running;
        silence = every;
        readTimeout(readTimeout);
    }

    /** Closes the socket because of an exception, which it returns. */
    IOException broke(IOException cause) {
        abort();
        return cause;
    }

    /** Closes the socket at once, from any thread; a thread that waits for it gets an IOException. */
    void abort() {
        broken = true;
        try {
            socket.close();
        } catch (IOException e) {
            // A socket that fails to close is of no use either.
            return;
        }
    }
}
