package io.fanfold.binlog;

import io.fanfold.wire.PayloadWriter;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/** Events of a binary log as a server sends them. */
final class Events {
    static final String UUID = "aaaaaaaa-0000-0000-0000-000000000001";

    private static final int HEADER = 19;

    private Events() {}

    static byte[] event(int type, long end, byte[] body) {
        return event(type, end, 0, body);
    }

    static byte[] event(int type, long end, int flags, byte[] body) {
        return new PayloadWriter()
                .int4(1700000000)
                .int1(type)
                .int4(1)
                .int4(HEADER + body.length)
                .int4(end)
                .int2(flags)
                .bytes(body)
                .toBytes();
    }

    static byte[] empty(int type, long end) {
        return event(type, end, new byte[0]);
    }

    static byte[] gtid(long number) {
        byte[] body = new PayloadWriter()
                .int1(1)
                .bytes(HexFormat.of().parseHex(UUID.replace("-", "")))
                .int8(number)
                .toBytes();
        return event(33, 0, body);
    }

    static byte[] mariaDbGtid(int flags, long end) {
        return event(
                162,
                end,
                new PayloadWriter().int8(5).int4(0).int1(flags).int8(0).toBytes());
    }

    static byte[] query(String text, long end) {
        byte[] body = new PayloadWriter()
                .int4(7)
                .int4(0)
                .int1(1)
                .int2(0)
                .int2(3)
                .bytes(new byte[] {1, 2, 3})
                .nulTerminated("d")
                .bytes(text.getBytes(StandardCharsets.UTF_8))
                .toBytes();
        return event(2, end, body);
    }

    static byte[] tableMap(long id, String schema, String table) {
        return event(
                19,
                0,
                new PayloadWriter()
                        .int4(id)
                        .int2((int) (id >>> 32))
                        .int2(1)
                        .int1(schema.length())
                        .nulTerminated(schema)
                        .int1(table.length())
                        .nulTerminated(table)
                        .int1(1)
                        .toBytes());
    }

    /** Returns rows whose header has extra data. */
    static byte[] rows(int type, long id, int... extra) {
        PayloadWriter body =
                new PayloadWriter().int4(id).int2((int) (id >>> 32)).int2(1).int2(2 + extra.length);
        for (int value : extra) {
            body.int1(value);
        }
        return event(type, 0, body.int1(1).int1(0xff).int1(42).toBytes());
    }

    /** Returns rows whose header has no extra data. */
    static byte[] rowsV1(int type, long id) {
        return event(
                type,
                0,
                new PayloadWriter()
                        .int4(id)
                        .int2((int) (id >>> 32))
                        .int2(1)
                        .int1(1)
                        .int1(0xff)
                        .toBytes());
    }

    static byte[] rotate(String file, long offset) {
        return event(
                4,
                0,
                0x20,
                new PayloadWriter()
                        .int8(offset)
                        .bytes(file.getBytes(StandardCharsets.UTF_8))
                        .toBytes());
    }

    /** Returns a format description. */
    static byte[] format(int checksumAlgorithm, long end) {
        return event(
                15,
                end,
                new PayloadWriter()
                        .int2(4)
                        .bytes(new byte[50])
                        .int4(0)
                        .int1(HEADER)
                        .bytes(new byte[40])
                        .int1(checksumAlgorithm)
                        .int4(0x11223344)
                        .toBytes());
    }

    /** Returns events with a checksum after each. */
    static List<byte[]> withChecksums(List<byte[]> events) {
        return events.stream()
                .map(event -> new PayloadWriter().bytes(event).int4(0x41414141).toBytes())
                .toList();
    }
}
