package io.fanfold.wire;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Finds the packets in the bytes of one direction of a connection, however the bytes are divided. Packets of 16 MiB-1
 * and their continuations count as one. Only the first bytes of each payload are kept, so results of any size need
 * little memory. For use by one thread; buffers are only read, never kept or released.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_packets.html">protocol
 *     packets</a>
 */
public final class PacketScanner {
    /** Length of a packet's header. */
    public static final int HEADER = 4;

    /** The longest payload of one packet; longer payloads continue in the next. */
    public static final int MAX_PAYLOAD = 0xffffff;

    private static final int SMALL = 64;

    private int keepLimit;
    private byte[] kept = new byte[SMALL];
    private int keptLength;
    private long payloadLength;
    private int header;
    private int headerLength;
    private int left;
    private boolean continues;
    private int sequence;
    private boolean complete = true;

    /** @param keepLimit the number of bytes of each payload to keep, 0 or more */
    public PacketScanner(int keepLimit) {
        this.keepLimit = keepLimit;
    }

    /** Changes the number of bytes to keep, from the next packet on. */
    public void keepUpTo(int limit) {
        keepLimit = limit;
    }

    /**
     * Reads to the end of the packet, or of the bytes.
     *
     * @param bytes borrowed; its indices do not move
     * @param from the index of the first byte
     * @param to the index after the last byte, more than {@code from}
     * @return the index after the last byte read; {@link #complete} says whether a packet ended there
     */
    public int scan(ByteBuf bytes, int from, int to) {
        int at = from;
        if (complete) {
            start();
        }
        while (at < to) {
            if (headerLength < HEADER) {
                at = readHeader(bytes, at, to);
                if (headerLength < HEADER) {
                    return at;
                }
            }
            int count = Math.min(left, to - at);
            keep(bytes, at, count);
            at += count;
            left -= count;
            if (left == 0) {
                if (!continues) {
                    complete = true;
                    return at;
                }
                headerLength = 0;
                header = 0;
            }
        }
        return at;
    }

    private void start() {
        complete = false;
        headerLength = 0;
        header = 0;
        keptLength = 0;
        payloadLength = 0;
        if (kept.length > SMALL && keepLimit <= SMALL) {
            kept = new byte[SMALL];
        }
    }

    private int readHeader(ByteBuf bytes, int from, int to) {
        int at = from;
        if (headerLength == 0 && to - at >= HEADER) {
            header = bytes.getIntLE(at);
            headerLength = HEADER;
            at += HEADER;
        } else {
            while (at < to && headerLength < HEADER) {
                header |= bytes.getUnsignedByte(at++) << 8 * headerLength++;
            }
        }
        if (headerLength == HEADER) {
            left = header & MAX_PAYLOAD;
            sequence = header >>> 24;
            continues = left == MAX_PAYLOAD;
            payloadLength += left;
        }
        return at;
    }

    private void keep(ByteBuf bytes, int at, int count) {
        int wanted = Math.min(count, keepLimit - keptLength);
        if (wanted <= 0) {
            return;
        }
        if (keptLength + wanted > kept.length) {
            int size = (int) Math.min(keepLimit, Math.max(2L * kept.length, (long) keptLength + wanted));
            kept = Arrays.copyOf(kept, size);
        }
        bytes.getBytes(at, kept, keptLength, wanted);
        keptLength += wanted;
    }

    /** Whether the bytes read so far end with a complete packet; true before the first byte. */
    public boolean complete() {
        return complete;
    }

    /** Returns the first bytes of the last payload. The array is reused and has at least {@link #keptLength} bytes. */
    public byte[] kept() {
        return kept;
    }

    public int keptLength() {
        return keptLength;
    }

    /** Returns a copy of the kept bytes of the last packet: its payload, unless that is longer than the limit. */
    public byte[] copyOfKept() {
        return Arrays.copyOf(kept, keptLength);
    }

    /** Returns the length of the last payload, continuations included. */
    public long payloadLength() {
        return payloadLength;
    }

    /** Returns the sequence id in the last header, 0..255. */
    public int sequence() {
        return sequence;
    }
}
