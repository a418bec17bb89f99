package io.fanfold.wire;

/** A packet's first bytes and length. */
record PacketPrefix(byte[] prefix, int prefixLength, long length) {
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
