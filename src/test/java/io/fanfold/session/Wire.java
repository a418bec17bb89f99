package io.fanfold.session;

import io.fanfold.wire.PacketCodec;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Arrays;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** Packets over a blocking socket, for either side. One thread at a time in each direction. */
public final class Wire implements Closeable {
    private static final int TIMEOUT_MILLIS = 20_000;

    private final Closeable socket;
    private final InputStream in;
    private final OutputStream out;

    /** @param sequence of the last part of a continued packet */
    public record Packet(int sequence, byte[] payload) {
        public int first() {
            return payload[0] & 0xff;
        }
    }

    Wire(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        in = socket.getInputStream();
        out = socket.getOutputStream();
    }

    private Wire(SocketChannel socket) {
        this.socket = socket;
        in = Channels.newInputStream(socket);
        out = Channels.newOutputStream(socket);
    }

    /** Connects to a Unix domain socket, whose reads have no timeout. */
    static Wire connect(Path path) throws IOException {
        return new Wire(SocketChannel.open(UnixDomainSocketAddress.of(path)));
    }

    static Wire connect(int port) throws IOException {
        return new Wire(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** Returns the port of the client's end of a TCP connection. */
    int localPort() {
        return ((Socket) socket).getLocalPort();
    }

    /** Returns the socket with TLS, before the handshake. It must be used instead of this object. */
    SSLSocket encrypted(SSLContext context) throws IOException {
        Socket plain = (Socket) socket;
        return (SSLSocket) context.getSocketFactory().createSocket(plain, "localhost", plain.getPort(), true);
    }

    public Packet read() throws IOException {
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        byte[] header;
        int length;
        do {
            header = exactly(PacketCodec.HEADER);
            length = header[0] & 0xff | (header[1] & 0xff) << 8 | (header[2] & 0xff) << 16;
            payload.writeBytes(exactly(length));
        } while (length == PacketCodec.MAX_PAYLOAD);
        return new Packet(header[3] & 0xff, payload.toByteArray());
    }

    /** Returns the number of bytes that have arrived. */
    int available() throws IOException {
        return in.available();
    }

    byte[] exactly(int count) throws IOException {
        byte[] bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("the stream ends after " + bytes.length + " of " + count + " bytes");
        }
        return bytes;
    }

    /** Returns all bytes up to the end of the stream. A reset counts as the end. */
    byte[] toEnd() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] part = new byte[8192];
        try {
            int count;
            while ((count = in.read(part)) >= 0) {
                all.write(part, 0, count);
            }
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the stream does not end", e);
        } catch (IOException e) {
            // a reset is an end too
        }
        return all.toByteArray();
    }

    public boolean atEnd() {
        return toEnd().length == 0;
    }

    public int write(int sequence, byte[] payload) throws IOException {
        byte[] framed = frame(sequence, payload);
        raw(framed);
        return framed[framed.length - 1];
    }

    public void raw(byte[] bytes) throws IOException {
        out.write(bytes);
    }

    /** Returns the payload as packets, split if it is too long. */
    public static byte[] frame(int sequence, byte[] payload) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(payload.length + 8);
        int at = 0;
        int next = sequence;
        int length;
        do {
            length = Math.min(payload.length - at, PacketCodec.MAX_PAYLOAD);
            out.write(length);
            out.write(length >>> 8);
            out.write(length >>> 16);
            out.write(next++);
            out.write(payload, at, length);
            at += length;
        } while (length == PacketCodec.MAX_PAYLOAD);
        return out.toByteArray();
    }

    public static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        Arrays.stream(parts).forEach(all::writeBytes);
        return all.toByteArray();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
