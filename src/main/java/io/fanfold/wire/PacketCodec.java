package io.fanfold.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The form of packets: a header of 3 bytes for the payload's length and 1 byte for the sequence id, then the payload.
 * Payloads of 16 MiB-1 and more continue in further packets. Only this class knows that form. Compressed packets have
 * another header. Sequence ids count from 0 to 255 and then start again; of ids given as parameters only the low 8 bits
 * count.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_packets.html">protocol
 *     packets</a>
 */
public final class PacketCodec {
    /** Length of a packet's header. */
    public static final int HEADER = 4;

    /** The longest payload of one packet; longer payloads continue in the next. */
    public static final int MAX_PAYLOAD = 0xffffff;

    private PacketCodec() {}

    /** Returns the payload length in the header at an index, 0 to {@link #MAX_PAYLOAD}. */
    public static int payloadLength(ByteBuf bytes, int at) {
        return bytes.getUnsignedMediumLE(at);
    }

    /** Returns the payload length in the header at an index, 0 to {@link #MAX_PAYLOAD}. */
    public static int payloadLength(byte[] bytes, int at) {
        return bytes[at] & 0xff | (bytes[at + 1] & 0xff) << 8 | (bytes[at + 2] & 0xff) << 16;
    }

    /** Returns the sequence id in the header at an index, 0 to 255. */
    public static int sequence(ByteBuf bytes, int at) {
        return bytes.getUnsignedByte(at + HEADER - 1);
    }

    /** Returns the sequence id in the header at an index, 0 to 255. */
    public static int sequence(byte[] bytes, int at) {
        return bytes[at + HEADER - 1] & 0xff;
    }

    /** Returns the index after the packet whose header is at an index. */
    public static int end(byte[] bytes, int at) {
        return at + HEADER + payloadLength(bytes, at);
    }

    /** Writes a header. */
    public static void putHeader(byte[] to, int at, int payloadLength, int sequence) {
        to[at] = (byte) payloadLength;
        to[at + 1] = (byte) (payloadLength >>> 8);
        to[at + 2] = (byte) (payloadLength >>> 16);
        to[at + 3] = (byte) sequence;
    }

    /**
     * Writes the sequence ids of complete packets anew.
     *
     * @param sequence the id of the first one
     * @return the sequence id after the last one, 0 to 255
     */
    public static int renumber(byte[] bytes, int from, int to, int sequence) {
        int next = sequence;
        for (int at = from; at < to; at = end(bytes, at)) {
            bytes[at + HEADER - 1] = (byte) next;
            next = after(next);
        }
        return next;
    }

    /** Returns the sequence id after this one, 0 to 255. */
    public static int after(int sequence) {
        return sequence + 1 & 0xff;
    }

    /** Returns the sequence id after a payload of this length whose first packet has id 0, 0 to 255. */
    public static int sequenceAfter(int payload) {
        return payload / MAX_PAYLOAD + 1 & 0xff;
    }

    /** Returns the number of bytes of a payload with its headers. */
    public static int framedLength(int payload) {
        return Math.addExact(payload, HEADER * (payload / MAX_PAYLOAD + 1));
    }

    /**
     * Writes a payload with its headers into an array.
     *
     * @param sequence the sequence id of its first packet
     * @return the sequence id after its last packet, 0 to 255
     */
    public static int frame(byte[] payload, byte[] to, int at, int sequence) {
        int next = sequence;
        int done = 0;
        int put = at;
        int length;
        do {
            length = Math.min(MAX_PAYLOAD, payload.length - done);
            putHeader(to, put, length, next);
            System.arraycopy(payload, done, to, put + HEADER, length);
            next = after(next);
            done += length;
            put += HEADER + length;
        } while (length == MAX_PAYLOAD);
        return next;
    }

    /**
     * Writes a payload as packets.
     *
     * @param payload shared with the buffers written, so not to be changed
     * @param sequence the sequence id of its first packet
     * @param out receives the buffers, transferred
     * @return the sequence id after its last packet, 0 to 255
     */
    public static int frame(byte[] payload, int sequence, Consumer<ByteBuf> out) {
        int next = sequence;
        int at = 0;
        int length;
        do {
            length = Math.min(payload.length - at, MAX_PAYLOAD);
            ByteBuf header = Unpooled.buffer(HEADER).writeMediumLE(length).writeByte(next);
            out.accept(Unpooled.wrappedBuffer(header, Unpooled.wrappedBuffer(payload, at, length)));
            next = after(next);
            at += length;
        } while (length == MAX_PAYLOAD);
        return next;
    }

    /**
     * Returns one packet, which the caller owns.
     *
     * @param payload shorter than {@link #MAX_PAYLOAD}
     */
    public static ByteBuf frame(byte[] payload, int sequence) {
        return Unpooled.buffer(HEADER + payload.length)
                .writeMediumLE(payload.length)
                .writeByte(sequence)
                .writeBytes(payload);
    }

    /**
     * Finds the packets in the bytes of one direction of a connection, however the bytes are divided. Packets of 16
     * MiB-1 and their continuations count as one. Only the first bytes of each payload are kept, so results of any size
     * need little memory. For use by one thread; buffers are never kept or released.
     */
    public static final class Reader {
        private static final byte[] NONE = {};
        private static final int SMALL = 64;

        private int keepLimit;
        private byte[] kept = NONE;
        private int keptLength;
        private long payloadLength;
        private int header;
        private int headerLength;
        private int left;
        private boolean continues;
        private int sequence;
        private boolean complete = true;

        /** @param keepLimit the number of bytes of each payload to keep, 0 or more */
        public Reader(int keepLimit) {
            this.keepLimit = keepLimit;
        }

        /** Changes the number of bytes to keep, from the next packet on. */
        public void keepUpTo(int limit) {
            keepLimit = limit;
        }

        /** Reads on without changing ids, see {@link #scan(ByteBuf, int, int, IntUnaryOperator)}. */
        public int scan(ByteBuf bytes, int from, int to) {
            return scan(bytes, from, to, null);
        }

        /**
         * Reads to the end of the packet, or of the bytes.
         *
         * @param bytes borrowed; its indices do not move
         * @param from the index of the first byte
         * @param to the index after the last byte, more than {@code from}
         * @param ids returns the sequence id to be written in place of each one that is read; null to change none
         * @return the index after the last byte read; {@link #complete} says whether a packet ended there
         */
        public int scan(ByteBuf bytes, int from, int to, @Nullable IntUnaryOperator ids) {
            int at = from;
            if (complete) {
                start();
            }
            while (at < to) {
                if (headerLength < HEADER) {
                    at = readHeader(bytes, at, to, ids);
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

        /**
         * Passes over rows of a result set that are complete in these bytes. Call it between two packets. Then
         * {@link #sequence} is that of the last row; nothing of the rows is kept.
         *
         * @param bytes borrowed; its indices do not move
         * @return the index after the last of these rows, or {@code from} if there is none
         */
        int passRows(ByteBuf bytes, int from, int to) {
            int at = from;
            while (to - at > HEADER) {
                int next = bytes.getIntLE(at);
                int length = next & MAX_PAYLOAD;
                boolean whole = length > 0 && length < MAX_PAYLOAD && length <= to - at - HEADER;
                if (!whole || ServerPacket.endsRows(bytes.getUnsignedByte(at + HEADER), length)) {
                    return at;
                }
                sequence = next >>> 24;
                at += HEADER + length;
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
                kept = NONE;
            }
        }

        private int readHeader(ByteBuf bytes, int from, int to, @Nullable IntUnaryOperator ids) {
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
                if (ids != null) {
                    bytes.setByte(at - 1, ids.applyAsInt(sequence));
                }
            }
            return at;
        }

        private void keep(ByteBuf bytes, int at, int count) {
            int wanted = Math.min(count, keepLimit - keptLength);
            if (wanted <= 0) {
                return;
            }
            if (keptLength + wanted > kept.length) {
                int size = (int)
                        Math.min(keepLimit, Math.max(Math.max(SMALL, 2L * kept.length), (long) keptLength + wanted));
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

        /** Returns the sequence id in the last header as the sender wrote it, 0..255. */
        public int sequence() {
            return sequence;
        }
    }
}
