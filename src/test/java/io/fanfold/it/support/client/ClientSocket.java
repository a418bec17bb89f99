package io.fanfold.it.support.client;

import io.fanfold.wire.Algorithm;
import io.fanfold.wire.Codec;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** A blocking socket that can switch to encryption and compression later, as the protocol does. For one thread. */
final class ClientSocket implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 60_000;
    private static final int HEADER = 7;
    private static final int SHORTEST = 50;

    /** The maximum length of a frame. */
    private static final int MOST = 0xffffff;

    private Socket socket;
    private @Nullable Codec codec;
    private byte[] content = new byte[0];
    private int read;

    /** The sequence id of the next frame, in either direction. */
    private int frame;

    ClientSocket(String host, int port) throws IOException {
        socket = new Socket(host, port);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
    }

    /** Encrypts from now on, without verifying the other side. */
    void encrypt() throws IOException {
        try {
            SSLContext anybody = SSLContext.getInstance("TLS");
            anybody.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
            SSLSocket encrypted =
                    (SSLSocket) anybody.getSocketFactory().createSocket(socket, "localhost", socket.getPort(), true);
            encrypted.startHandshake();
            socket = encrypted;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    void compress(Algorithm algorithm) {
        codec = algorithm.codec();
    }

    /** Marks the next write as the start of a command. */
    void command() {
        frame = 0;
    }

    void write(byte[] bytes) throws IOException {
        OutputStream out = socket.getOutputStream();
        Codec compressing = codec;
        if (compressing == null) {
            out.write(bytes);
            return;
        }
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        for (int at = 0; at < bytes.length; at += MOST) {
            int length = Math.min(MOST, bytes.length - at);
            byte[] compressed = length < SHORTEST ? new byte[length] : compressing.compress(bytes, at, length);
            boolean gained = compressed.length < length;
            int3(frames, gained ? compressed.length : length);
            frames.write(frame++);
            int3(frames, gained ? length : 0);
            frames.write(gained ? compressed : bytes, gained ? 0 : at, gained ? compressed.length : length);
        }
        out.write(frames.toByteArray());
    }

    /** Writes frames that are already compressed, or bytes that are no frames. */
    void writeRaw(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** Reads any available bytes; returns less than 0 at the end. */
    int readRaw(byte[] into) throws IOException {
        return socket.getInputStream().read(into);
    }

    private static void int3(ByteArrayOutputStream out, int value) {
        out.write(value);
        out.write(value >>> 8);
        out.write(value >>> 16);
    }

    /** Reads exactly that many bytes. */
    byte[] read(int count) throws IOException {
        if (codec == null) {
            return exactly(count);
        }
        byte[] bytes = new byte[count];
        int at = 0;
        while (at < count) {
            if (read == content.length) {
                content = frame(codec);
                read = 0;
            }
            int part = Math.min(count - at, content.length - read);
            System.arraycopy(content, read, bytes, at, part);
            read += part;
            at += part;
        }
        return bytes;
    }

    private byte[] frame(Codec decompressing) throws IOException {
        byte[] header = exactly(HEADER);
        if ((header[3] & 0xff) != (frame & 0xff)) {
            throw new IOException(
                    "a frame has sequence id " + (header[3] & 0xff) + " (expected: " + (frame & 0xff) + ")");
        }
        frame++;
        byte[] bytes = exactly(int3(header, 0));
        int size = int3(header, 4);
        return size == 0 ? bytes : decompressing.decompress(bytes, 0, bytes.length, size);
    }

    private static int int3(byte[] bytes, int at) {
        return bytes[at] & 0xff | (bytes[at + 1] & 0xff) << 8 | (bytes[at + 2] & 0xff) << 16;
    }

    private byte[] exactly(int count) throws IOException {
        InputStream in = socket.getInputStream();
        // reads large pieces; the method that returns an array reads 8 KiB at a time
        byte[] bytes = new byte[count];
        if (in.readNBytes(bytes, 0, count) < count) {
            throw new IOException("the connection ended");
        }
        return bytes;
    }

    @Override
    public void close() throws IOException {
        if (codec != null) {
            codec.close();
        }
        socket.close();
    }
}
