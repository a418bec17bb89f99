package io.fanfold.backend;

import io.fanfold.protocol.ProtocolException;
import io.fanfold.row.HeapRoom;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Packets over a byte stream: headers, sequence ids, and payloads of 16 MiB and more split and joined. For one thread.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_packets.html">packets</a>
 */
final class PacketChannel {
    /** A packet with this many payload bytes is continued by the next one. */
    static final int FULL_PACKET = 0xffffff;

    private static final int HEADER = 4;
    private static final int BUFFER = 128 * 1024;

    /** Space for so much of a packet is made before any of it has come, and counted by nobody. */
    private static final int BELIEVED = 1 << 18;

    private InputStream in;
    private OutputStream out;
    private final int maxPayloadBytes;
    private final byte[] buffer = new byte[BUFFER];
    private int start;
    private int end;
    private int sequence;

    /** Where the heap of large payloads is counted; null for nowhere. */
    private @Nullable HeapRoom room;

    private long taken;

    PacketChannel(InputStream in, OutputStream out, int maxPayloadBytes) {
        this.in = in;
        this.out = out;
        this.maxPayloadBytes = maxPayloadBytes;
    }

    /** From now on bytes are read from there; what is buffered comes first. */
    void readFrom(InputStream other) {
        in = other;
    }

    /**
     * From now on bytes go and come over there, encrypted.
     *
     * @throws ProtocolException when bytes have come before, which somebody in between may have put there
     */
    void switchTo(InputStream newIn, OutputStream newOut) throws ProtocolException {
        if (hasUnread()) {
            throw new ProtocolException("the server sent bytes in clear behind its greeting");
        }
        in = newIn;
        out = newOut;
    }

    /** Sets the sequence id that the next packet, read or written, has; only its low 8 bits count. */
    void sequence(int next) {
        sequence = next & 0xff;
    }

    /**
     * From now on large payloads take heap from there while they are read, and until the next is.
     *
     * @param heap null where none is counted
     */
    void within(@Nullable HeapRoom heap) {
        giveBack();
        room = heap;
    }

    private void giveBack() {
        if (room != null && taken > 0) {
            room.release(taken);
        }
        taken = 0;
    }

    private void need(long bytes) throws NoRoomException {
        if (room != null) {
            if (!room.take(bytes)) {
                throw new NoRoomException("a row for which there is no heap: " + bytes + " bytes more, "
                        + room.leftBytes() + " bytes left");
            }
            taken += bytes;
        }
    }

    /** The payload of the next packet, joined where it came in several; a fresh array. */
    byte[] read() throws IOException {
        giveBack();
        int length = header();
        if (length > maxPayloadBytes) {
            throw tooLarge();
        }
        byte[] payload = part(length);
        return length < FULL_PACKET ? payload : joined(payload);
    }

    /** Waits for a byte as long as the socket allows; false when none has come. Nothing is lost by it. */
    boolean await() throws IOException {
        if (start < end) {
            return true;
        }
        try {
            fill();
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    private byte[] joined(byte[] first) throws IOException {
        List<byte[]> parts = new ArrayList<>();
        parts.add(first);
        int total = first.length;
        int length;
        do {
            length = header();
            if (length > maxPayloadBytes - total) {
                throw tooLarge();
            }
            parts.add(part(length));
            total += length;
        } while (length == FULL_PACKET);
        need(total);
        byte[] payload = new byte[total];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, payload, at, part.length);
            at += part.length;
        }
        return payload;
    }

    private ProtocolException tooLarge() {
        return new ProtocolException("a packet's payload is over " + maxPayloadBytes + " bytes");
    }

    private int header() throws IOException {
        while (end - start < HEADER) {
            fill();
        }
        int length = buffer[start] & 0xff | (buffer[start + 1] & 0xff) << 8 | (buffer[start + 2] & 0xff) << 16;
        int number = buffer[start + 3] & 0xff;
        if (number != sequence) {
            throw new ProtocolException("packet has sequence id " + number + " (expected: " + sequence + ")");
        }
        sequence = sequence + 1 & 0xff;
        start += HEADER;
        return length;
    }

    /** What a header claims is not believed before it has come: the array grows with the bytes. */
    private byte[] part(int length) throws IOException {
        byte[] payload = new byte[Math.min(length, BELIEVED)];
        int at = 0;
        while (at < length) {
            if (at == payload.length) {
                int larger = (int) Math.min(length, 4L * at);
                need(larger);
                payload = Arrays.copyOf(payload, larger);
            }
            int wanted = payload.length - at;
            if (start == end && wanted >= BUFFER) {
                int count = in.read(payload, at, wanted);
                if (count < 0) {
                    throw ended();
                }
                at += count;
            } else {
                if (start == end) {
                    fill();
                }
                int count = Math.min(wanted, end - start);
                System.arraycopy(buffer, start, payload, at, count);
                start += count;
                at += count;
            }
        }
        return payload;
    }

    /** Reads at least one more byte behind those buffered. */
    private void fill() throws IOException {
        if (start == end) {
            start = 0;
            end = 0;
        } else if (BUFFER - end < HEADER) {
            System.arraycopy(buffer, start, buffer, 0, end - start);
            end -= start;
            start = 0;
        }
        int count = in.read(buffer, end, BUFFER - end);
        if (count < 0) {
            throw ended();
        }
        end += count;
    }

    private static EOFException ended() {
        return new EOFException("the server closed the connection");
    }

    /** Whether bytes of the server are buffered that nobody asked for yet. */
    boolean hasUnread() {
        return start < end;
    }

    /** Writes one payload under the sequence id that is due. */
    void write(byte[] payload) throws IOException {
        byte[] framed = new byte[framedLength(payload.length)];
        sequence = frame(payload, framed, 0, sequence);
        out.write(framed);
        out.flush();
    }

    /** Writes bytes framed before by {@link #frame}. */
    void writeFramed(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    /** How many bytes a payload of this length takes with its headers. */
    static int framedLength(int payload) {
        return Math.addExact(payload, HEADER * (payload / FULL_PACKET + 1));
    }

    /** The sequence id that follows the last packet of a payload of this length whose first packet has 0; 0..255. */
    static int sequenceAfter(int payload) {
        return payload / FULL_PACKET + 1 & 0xff;
    }

    /**
     * Puts a payload with its headers.
     *
     * @param firstSequence the sequence id of its first packet
     * @return the sequence id that follows its last packet, 0..255
     */
    static int frame(byte[] payload, byte[] to, int at, int firstSequence) {
        int number = firstSequence;
        int done = 0;
        int put = at;
        while (true) {
            int length = Math.min(FULL_PACKET, payload.length - done);
            to[put] = (byte) length;
            to[put + 1] = (byte) (length >>> 8);
            to[put + 2] = (byte) (length >>> 16);
            to[put + 3] = (byte) number;
            System.arraycopy(payload, done, to, put + HEADER, length);
            number = number + 1 & 0xff;
            done += length;
            put += HEADER + length;
            if (length < FULL_PACKET) {
                return number;
            }
        }
    }
}
