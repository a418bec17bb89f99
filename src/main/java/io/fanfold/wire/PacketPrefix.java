package io.fanfold.wire;

import java.util.Arrays;

/**
 * A packet's first bytes and length.
 *
 * @param prefix has at least {@code prefixLength} bytes; borrowed, and reused for the next packet
 * @param prefixLength the number of the payload's bytes that are known, from its first byte on
 * @param length the length of the whole payload
 */
public record PacketPrefix(byte[] prefix, int prefixLength, long length) {
    /** Returns a copy of the known bytes. */
    public byte[] copy() {
        return Arrays.copyOf(prefix, prefixLength);
    }

    /** Whether all bytes of the payload are known. */
    public boolean whole() {
        return prefixLength == length;
    }

    int first() throws ProtocolException {
        return int1(0);
    }

    private int int1(int at) throws ProtocolException {
        if (at >= prefixLength) {
            throw new ProtocolException("packet ends: " + (at + 1) + " bytes are needed, it has " + prefixLength);
        }
        return prefix[at] & 0xff;
    }

    int int2(int at) throws ProtocolException {
        return int1(at) | int1(at + 1) << 8;
    }

    PayloadReader reader() {
        return new PayloadReader(prefix, 0, prefixLength);
    }
}
