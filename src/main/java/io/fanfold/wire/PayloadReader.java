package io.fanfold.wire;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the values of one packet's payload in order. For use by one thread.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_data_types.html">basic types</a>
 */
public final class PayloadReader {
    private final byte[] bytes;
    private final int end;
    private int at;

    /** Reads {@code bytes} from its start; the array is not copied. */
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

    /** Returns the index of the next byte in the array. */
    public int position() {
        return at;
    }

    /** Returns the next byte, 0..255, without consuming it. */
    public int peek() throws ProtocolException {
        need(1, "byte");
        return bytes[at] & 0xff;
    }

    /** Reads a little-endian unsigned integer of 1 byte. */
    public int int1() throws ProtocolException {
        need(1, "int<1>");
        return bytes[at++] & 0xff;
    }

    /** Reads a little-endian unsigned integer of 2 bytes. */
    public int int2() throws ProtocolException {
        return (int) fixed(2);
    }

    /** Reads a little-endian unsigned integer of 3 bytes. */
    public int int3() throws ProtocolException {
        return (int) fixed(3);
    }

    /** Reads a little-endian unsigned integer of 4 bytes. */
    public long int4() throws ProtocolException {
        return fixed(4);
    }

    /** Reads a little-endian integer of 8 bytes; negative from 2^63 on. */
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
     * Reads a length-encoded integer.
     *
     * @throws ProtocolException at 0xfb (NULL) and 0xff, which are not integers
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

    /** Reads a length-encoded string of bytes, copied. */
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

    /** Reads the next {@code count} bytes, copied. */
    public byte[] take(int count) throws ProtocolException {
        need(count, "bytes");
        byte[] taken = Arrays.copyOfRange(bytes, at, at + count);
        at += count;
        return taken;
    }

    /** Reads all remaining bytes, copied. */
    public byte[] rest() {
        byte[] taken = Arrays.copyOfRange(bytes, at, end);
        at = end;
        return taken;
    }

    /** Reads the bytes up to a zero byte, which is consumed, or up to the packet's end. */
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
