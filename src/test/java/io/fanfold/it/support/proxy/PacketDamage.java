package io.fanfold.it.support.proxy;

import io.fanfold.wire.ServerPacket;
import io.fanfold.wire.ServerStatus;
import java.util.Arrays;

/** Damage to a packet in transit that makes its structure, or that of the stream, violate the protocol. */
public enum PacketDamage {
    /** Its header has the sequence id of the next packet. */
    NUMBER,
    /** Its header claims one byte more than there is. */
    LONGER,
    /** Its header claims 16 MiB. */
    FAR_LONGER,
    /** Its header claims one byte less. */
    SHORTER,
    /** It ends one byte early, and its header is adjusted. */
    TRUNCATED,
    /** A value is appended, and its header is adjusted. */
    ONE_VALUE_MORE,
    /** Its last value is missing, and its header is adjusted. */
    ONE_VALUE_LESS,
    /** Its first byte (a number of columns, or the length of a value) is one more. */
    FIRST_BYTE_MORE,
    /** Its first byte is one less. */
    FIRST_BYTE_LESS,
    /** Its first value claims 16 MiB. */
    HUGE_VALUE,
    /** Its first value claims 2^62 bytes. */
    ENORMOUS_VALUE,
    /** Its first byte is that of an OK packet. */
    MARKED_OK,
    /** Its first byte is that of the end of rows. */
    MARKED_END,
    /** Its first byte is that of an error packet. */
    MARKED_ERROR,
    /** Its first byte is that of NULL, or of a request for a file. */
    MARKED_NULL,
    /** An OK packet replaces it. */
    OK_INSTEAD,
    /** The end of a result set replaces it. */
    END_INSTEAD,
    /** It is empty. */
    EMPTY,
    /** It is sent twice. */
    TWICE,
    /** It is not sent. */
    LOST;

    private static final int HEADER = 4;
    private static final int STATUS = ServerStatus.AUTOCOMMIT | ServerStatus.IN_TRANSACTION;

    /** Returns the bytes that replace a packet, including the header. */
    byte[] of(byte[] packet) {
        byte[] payload = Arrays.copyOfRange(packet, HEADER, packet.length);
        return switch (this) {
            case NUMBER -> {
                packet[3]++;
                yield packet;
            }
            case LONGER -> claiming(packet, payload.length + 1);
            case FAR_LONGER -> claiming(packet, 0xffffff);
            case SHORTER -> claiming(packet, Math.max(0, payload.length - 1));
            case TRUNCATED -> framed(packet, Arrays.copyOf(payload, Math.max(0, payload.length - 1)));
            case ONE_VALUE_MORE -> framed(packet, joined(payload, (byte) 1, (byte) '7'));
            case ONE_VALUE_LESS -> framed(packet, Arrays.copyOf(payload, lastValue(payload)));
            case FIRST_BYTE_MORE -> framed(packet, marked(payload, (payload.length == 0 ? 0 : payload[0]) + 1));
            case FIRST_BYTE_LESS -> framed(packet, marked(payload, (payload.length == 0 ? 0 : payload[0]) - 1));
            case HUGE_VALUE -> framed(packet, headed(payload, 0xfd, 0xff, 0xff, 0xff));
            case ENORMOUS_VALUE -> framed(packet, headed(payload, 0xfe, 0, 0, 0, 0, 0, 0, 0, 0x40));
            case MARKED_OK -> framed(packet, marked(payload, ServerPacket.OK));
            case MARKED_END -> framed(packet, marked(payload, ServerPacket.EOF));
            case MARKED_ERROR -> framed(packet, marked(payload, ServerPacket.ERROR));
            case MARKED_NULL -> framed(packet, marked(payload, ServerPacket.LOCAL_INFILE));
            case OK_INSTEAD -> framed(packet, ServerPacket.Ok.encode(ServerPacket.OK, STATUS, 0));
            case END_INSTEAD -> framed(packet, ServerPacket.Ok.encode(ServerPacket.EOF, STATUS, 0));
            case EMPTY -> framed(packet, new byte[0]);
            case TWICE -> joined(packet, packet);
            case LOST -> new byte[0];
        };
    }

    private static byte[] claiming(byte[] packet, int length) {
        packet[0] = (byte) length;
        packet[1] = (byte) (length >>> 8);
        packet[2] = (byte) (length >>> 16);
        return packet;
    }

    /** Returns a payload after the header of another packet. */
    private static byte[] framed(byte[] packet, byte[] payload) {
        return claiming(joined(Arrays.copyOf(packet, HEADER), payload), payload.length);
    }

    private static byte[] marked(byte[] payload, int first) {
        byte[] changed = payload.length == 0 ? new byte[1] : payload;
        changed[0] = (byte) first;
        return changed;
    }

    private static byte[] headed(byte[] payload, int... head) {
        byte[] bytes = new byte[head.length];
        for (int i = 0; i < head.length; i++) {
            bytes[i] = (byte) head[i];
        }
        return joined(bytes, Arrays.copyOfRange(payload, Math.min(1, payload.length), payload.length));
    }

    private static byte[] joined(byte[] first, byte... second) {
        byte[] all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }

    /** Returns where the last value begins, for payloads of short values; otherwise one byte before the end. */
    private static int lastValue(byte[] payload) {
        int at = 0;
        int last = 0;
        while (at < payload.length && (payload[at] & 0xff) < 0xfb) {
            last = at;
            at += 1 + (payload[at] & 0xff);
        }
        return at == payload.length ? last : Math.max(0, payload.length - 1);
    }
}
