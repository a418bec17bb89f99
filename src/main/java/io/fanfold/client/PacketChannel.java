package io.fanfold.client;

import io.fanfold.row.HeapRoom;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.ProtocolException;
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
 * Reads and writes packets over a byte stream: headers, sequence ids, and payloads of 16 MiB and more split and joined.
 * For use by one thread.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_packets.html">packets</a>
 */
final class PacketChannel {
    private static final int BUFFER = 128 * 1024;

    /** The largest array allocated before any byte of a packet arrives. It is not counted as heap. */
    private static final int BELIEVED = 1 << 18;

    private InputStream in;
    private OutputStream out;
    private final int maxPayloadBytes;
    private final byte[] buffer = new byte[BUFFER];
    private int start;
    private int end;
    private int sequence;

    /** Counts the heap of large payloads; null to count none. */
    private @Nullable HeapRoom room;

    private long taken;

    PacketChannel(InputStream in, OutputStream out, int maxPayloadBytes) {
        this.in = in;
        this.out = out;
        this.maxPayloadBytes = maxPayloadBytes;
    }

    /** Reads from another stream from now on, after the buffered bytes. */
    void readFrom(InputStream other) {
        in = other;
    }

    /**
     * Reads and writes over encrypted streams from now on.
     *
     * @throws ProtocolException if unread bytes are buffered, which an attacker may have inserted
     */
    void switchTo(InputStream newIn, OutputStream newOut) throws ProtocolException {
        if (hasUnread()) {
            throw new ProtocolException("the server sent bytes in clear after its greeting");
        }
        in = newIn;
        out = newOut;
    }

    /** Sets the sequence id of the next packet, read or written; only its low 8 bits count. */
    void sequence(int next) {
        sequence = next & 0xff;
    }

    /**
     * Counts the heap of large payloads from now on, from when they are read until the next packet is read.
     *
     * @param heap null to count none
     */
    void within(@Nullable HeapRoom heap) {
        release();
        room = heap;
    }

    private void release() {
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

    /** Returns the next payload as a new array, joined if it was sent in several packets. */
    byte[] read() throws IOException {
        release();
        int length = header();
        if (length > maxPayloadBytes) {
            throw tooLarge();
        }
        byte[] payload = part(length);
        return length < PacketCodec.MAX_PAYLOAD ? payload : joined(payload);
    }

    /**
     * Reads a payload of any length without keeping it, also if it was sent in several packets.
     *
     * @param head receives the payload's first bytes
     * @return the payload's length
     */
    long read(byte[] head) throws IOException {
        release();
        long total = 0;
        int length;
        do {
            length = header();
            int left = length;
            while (left > 0) {
                if (start == end) {
                    fill();
                }
                int count = Math.min(left, end - start);
                if (total < head.length) {
                    System.arraycopy(buffer, start, head, (int) total, (int) Math.min(count, head.length - total));
                }
                start += count;
                left -= count;
                total += count;
            }
        } while (length == PacketCodec.MAX_PAYLOAD);
        return total;
    }

    /** Whether a packet that is in the buffer may be passed on as it is. */
    interface PacketFilter {
        /**
         * @param from the index of the payload's first byte
         * @param to the index after its last byte
         */
        boolean passes(byte[] bytes, int from, int to);
    }

    /**
     * Passes packets on that are in the buffer already, with their headers, up to the first one that the filter does not
     * pass. Does not wait.
     *
     * @param most the most bytes; no packet is longer
     * @param out receives all of them at once, if there is one
     * @return the number of packets
     */
    <E extends Exception> int forward(int most, PacketFilter filter, PacketOutput<E> out) throws E {
        release();
        int from = start;
        int at = start;
        int next = sequence;
        int packets = 0;
        while (end - at >= PacketCodec.HEADER) {
            int to = PacketCodec.end(buffer, at);
            if (to > end
                    || to - from > most
                    || PacketCodec.sequence(buffer, at) != next
                    || !filter.passes(buffer, at + PacketCodec.HEADER, to)) {
                break;
            }
            next = PacketCodec.after(next);
            at = to;
            packets++;
        }
        if (packets > 0) {
            start = at;
            sequence = next;
            out.packets(buffer, from, at, packets);
        }
        return packets;
    }

    /** Waits up to the socket's timeout for a byte; false if none arrived. No byte is consumed. */
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
        } while (length == PacketCodec.MAX_PAYLOAD);
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
        while (end - start < PacketCodec.HEADER) {
            fill();
        }
        int length = PacketCodec.payloadLength(buffer, start);
        int number = PacketCodec.sequence(buffer, start);
        if (number != sequence) {
            throw new ProtocolException("packet has sequence id " + number + " (expected: " + sequence + ")");
        }
        sequence = PacketCodec.after(sequence);
        start += PacketCodec.HEADER;
        return length;
    }

    /** The array grows with the bytes received, since the length in the header may be false. */
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

    /** Reads at least one more byte into the buffer. */
    private void fill() throws IOException {
        if (start == end) {
            start = 0;
            end = 0;
        } else if (BUFFER - end < PacketCodec.HEADER) {
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

    /** Whether unread bytes of the server are buffered. */
    boolean hasUnread() {
        return start < end;
    }

    /** Writes one payload, starting with the current sequence id. */
    void write(byte[] payload) throws IOException {
        byte[] framed = new byte[PacketCodec.framedLength(payload.length)];
        sequence = PacketCodec.frame(payload, framed, 0, sequence);
        out.write(framed);
        out.flush();
    }

    /** Writes bytes that {@link PacketCodec#frame} produced. */
    void writeFramed(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }
}
