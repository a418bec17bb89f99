package io.fanfold.protocol;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the values of one packet's payload from front to back. For one thread.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_data_types.html">basic types</a>
 */
public final class PayloadReader {
    private final byte[] bytes;
    private final int end;
    private int at;

    /** Reads {@code bytes} from its start; the array is kept, not copied. */
    public PayloadReader(byte[] bytes) {
        this(bytes, 0, bytes.length);
    }

    public PayloadReader(byte[] bytes, int start, int length) {
        this.bytes = bytes;
        this.at = start;
        this.end = start + length;
    }

    public int remaining() {
        return end - at;
    }

    /** How far reading has come, as an index into the array. */
    public int position() {
        return at;
    }

    /** The next byte, 0..255, without consuming it. */
    public int peek() throws ProtocolException {
        need(1, "byte");
        return bytes[at] & 0xff;
    }

    /** A little-endian unsigned integer of 1 byte. */
    public int int1() throws ProtocolException {
        need(1, "int<1>");
        return bytes[at++] & 0xff;
    }

    /** A little-endian unsigned integer of 2 bytes. */
    public int int2() throws ProtocolException {
        return (int) fixed(2);
    }

    /** A little-endian unsigned integer of 3 bytes. */
    public int int3() throws ProtocolException {
        return (int) fixed(3);
    }

    /** A little-endian unsigned integer of 4 bytes. */
    public long int4() throws ProtocolException {
        return fixed(4);
    }

    /** A little-endian integer of 8 bytes; over 2^63 it is negative. */
    public long int8() throws ProtocolException {
        return fixed(8);
    }

    private long fixed(int count) throws ProtocolException {
        need(count, "int<" + count + ">");
        long value = 0;
        for (int i = count - 1; i >= 0; i--) {
            value = value << 8 | bytes[at + i] & 0xff;
        }
        at += count;
        return value;
    }

    /**
     * A length-encoded integer.
     *
     * @throws ProtocolException at 0xfb (NULL) and 0xff, which are no integers
     */
    public long lenencInt() throws ProtocolException {
        int first = int1();
        return switch (first) {
            case 0xfb, 0xff -> throw new ProtocolException("a length starts with 0x" + Integer.toHexString(first));
            case 0xfc -> fixed(2);
            case 0xfd -> fixed(3);
            case 0xfe -> fixed(8);
            default -> first;
        };
    }

    /** A length-encoded string of bytes, copied. */
    public byte[] lenencBytes() throws ProtocolException {
        long length = lenencInt();
        if (length < 0 || length > remaining()) {
            throw new ProtocolException("a string claims " + Long.toUnsignedString(length) + " bytes, " + remaining()
                    + " are left in the packet");
        }
        return take((int) length);
    }

    public String lenencString(Charset charset) throws ProtocolException {
        return new String(lenencBytes(), charset);
    }

    /** The next {@code count} bytes, copied. */
    public byte[] take(int count) throws ProtocolException {
        need(count, "bytes");
        byte[] taken = Arrays.copyOfRange(bytes, at, at + count);
        at += count;
        return taken;
    }

    /** All bytes left, copied. */
    public byte[] rest() {
        byte[] taken = Arrays.copyOfRange(bytes, at, end);
        at = end;
        return taken;
    }

    /** Bytes up to a zero byte, which is consumed; up to the packet's end when there is none. */
    public byte[] nulTerminated() {
        int stop = at;
        while (stop < end && bytes[stop] != 0) {
            stop++;
        }
        byte[] taken = Arrays.copyOfRange(bytes, at, stop);
        at = Math.min(stop + 1, end);
        return taken;
    }

    public String nulTerminatedString() {
        return new String(nulTerminated(), StandardCharsets.UTF_8);
    }

    public void skip(int count) throws ProtocolException {
        need(count, "bytes");
        at += count;
    }

    private void need(int count, String what) throws ProtocolException {
        if (count < 0 || end - at < count) {
            throw new ProtocolException(
                    "packet ends: " + what + " needs " + count + " bytes, " + (end - at) + " are left");
        }
    }
}
