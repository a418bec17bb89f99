package io.fanfold.protocol;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Follows the bytes of one direction of a connection and finds its packets, however the bytes are cut. Packets of
 * 16 MiB-1 and their continuations count as one. Of each packet's payload only the first bytes are kept, so that results
 * of any size can be followed without holding them. For one thread; buffers are only read, never kept or released.
 *
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_packets.html">protocol packets</a>
 */
public final class PacketScanner {
    /** Length of a packet's header. */
    public static final int HEADER = 4;

    /** The longest payload of one packet; longer ones are continued in the next. */
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

    /** @param keepLimit how many bytes of each payload to keep, 0 or more */
    public PacketScanner(int keepLimit) {
        this.keepLimit = keepLimit;
    }

    /** Changes how many bytes of a payload are kept, from the next packet on. */
    public void keepUpTo(int limit) {
        keepLimit = limit;
    }

    /**
     * Reads on, to the end of the packet at most.
     *
     * @param bytes borrowed; its indices do not move
     * @param from where to start
     * @param to where the bytes end, more than {@code from}
     * @return the index behind the last byte read; {@link #complete} says whether a packet ended there
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

    /** Whether the bytes read so far end with a packet's end; true before the first byte. */
    public boolean complete() {
        return complete;
    }

    /** The first bytes of the last packet's payload; the array is reused and {@link #keptLength} bytes long at least. */
    public byte[] kept() {
        return kept;
    }

    public int keptLength() {
        return keptLength;
    }

    /** A copy of the bytes kept of the last packet: its payload, unless that is longer than the limit. */
    public byte[] copyOfKept() {
        return Arrays.copyOf(kept, keptLength);
    }

    /** Length of the last packet's payload, continuations included. */
    public long payloadLength() {
        return payloadLength;
    }

    /** The sequence id in the last header read, 0..255. */
    public int sequence() {
        return sequence;
    }
}
