package io.fanfold.wire;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Builds one packet's payload. For use by one thread. */
public final class PayloadWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(64);

    public PayloadWriter int1(int value) {
        out.write(value);
        return this;
    }

    public PayloadWriter int2(int value) {
        return fixed(value, 2);
    }

    public PayloadWriter int3(int value) {
        return fixed(value, 3);
    }

    public PayloadWriter int4(long value) {
        return fixed(value, 4);
    }

    public PayloadWriter int8(long value) {
        return fixed(value, 8);
    }

    private PayloadWriter fixed(long value, int count) {
        for (int i = 0; i < count; i++) {
            out.write((int) (value >>> 8 * i));
        }
        return this;
    }

    /** Writes a length-encoded integer, 0 or more. */
    public PayloadWriter lenencInt(long value) {
        if (value < 0xfb) {
            return int1((int) value);
        }
        if (value < 1 << 16) {
            return int1(0xfc).fixed(value, 2);
        }
        if (value < 1 << 24) {
            return int1(0xfd).fixed(value, 3);
        }
        return int1(0xfe).fixed(value, 8);
    }

    public PayloadWriter lenencBytes(byte[] bytes) {
        return lenencInt(bytes.length).bytes(bytes);
    }

    public PayloadWriter lenencString(String text) {
        return lenencBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    public PayloadWriter bytes(byte[] bytes) {
        out.writeBytes(bytes);
        return this;
    }

    public PayloadWriter nulTerminated(byte[] bytes) {
        return bytes(bytes).int1(0);
    }

    public PayloadWriter nulTerminated(String text) {
        return nulTerminated(text.getBytes(StandardCharsets.UTF_8));
    }

    public byte[] toBytes() {
        return out.toByteArray();
    }
}
