package io.fanfold.binlog;

import io.fanfold.catalog.TableName;
import io.fanfold.wire.PayloadReader;
import io.fanfold.wire.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Decodes the events of one stream in order. It remembers which table each table id means. For use by one thread.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/namespacemysql_1_1binlog_1_1event.html">MySQL's
 *     events</a>
 * @see <a href="https://mariadb.com/docs/server/reference/clientserver-protocol/replication-protocol">MariaDB's
 *     events</a>
 */
final class EventDecoder {
    private static final int QUERY = 2;
    private static final int STOP = 3;
    private static final int ROTATE = 4;
    private static final int INTVAR = 5;
    private static final int RAND = 13;
    private static final int USER_VAR = 14;
    private static final int FORMAT_DESCRIPTION = 15;
    private static final int XID = 16;
    private static final int TABLE_MAP = 19;
    private static final int WRITE_ROWS_V1 = 23;
    private static final int DELETE_ROWS_V1 = 25;
    private static final int HEARTBEAT = 27;
    private static final int ROWS_QUERY = 29;
    private static final int WRITE_ROWS = 30;
    private static final int UPDATE_ROWS = 31;
    private static final int DELETE_ROWS = 32;
    private static final int GTID = 33;
    private static final int PREVIOUS_GTIDS = 35;
    private static final int TRANSACTION_CONTEXT = 36;
    private static final int VIEW_CHANGE = 37;
    private static final int XA_PREPARE = 38;
    private static final int PARTIAL_UPDATE_ROWS = 39;
    private static final int TRANSACTION_PAYLOAD = 40;
    private static final int HEARTBEAT_V2 = 41;
    private static final int GTID_TAGGED = 42;
    private static final int ANNOTATE_ROWS = 160;
    private static final int BINLOG_CHECKPOINT = 161;
    private static final int MARIADB_GTID = 162;
    private static final int GTID_LIST = 163;
    private static final int START_ENCRYPTION = 164;
    private static final int QUERY_COMPRESSED = 165;
    private static final int WRITE_ROWS_COMPRESSED_V1 = 166;
    private static final int DELETE_ROWS_COMPRESSED = 171;

    /** MariaDB's group is one statement without an end. */
    private static final int STANDALONE = 1;

    /** The bytes of a checksum after an event. */
    private static final int CHECKSUM = 4;

    /** Flags of rows: no foreign keys are checked; or the server changes other rows itself, and logs them. */
    private static final int NO_HIDDEN_CASCADES = 0x02 | 0x10;

    /** If a transaction has more tables, the rows of the first ones are those of unknown tables. */
    private static final int MOST_TABLES = 100_000;

    private static final int NDB_INFO = 0;
    private static final int PARTITION_INFO = 1;

    private final Map<Long, TableName> tables = new HashMap<>();

    /** The length of the checksum after each event: 0 or 4. */
    private int checksum;

    /**
     * Decodes an event.
     *
     * @param in the bytes after the header; of a long event only the first ones
     * @param whole whether these are all its bytes
     */
    LogEvent decode(EventHeader header, PayloadReader in, boolean whole) throws ProtocolException {
        return switch (header.type()) {
            case QUERY -> statement(in, whole);
            case QUERY_COMPRESSED -> new LogEvent.Statement("");
            case ROTATE -> nextFile(in);
            case FORMAT_DESCRIPTION -> format(in);
            case XID -> new LogEvent.Commit();
            case TABLE_MAP -> mapped(in);
            case WRITE_ROWS, UPDATE_ROWS, DELETE_ROWS, PARTIAL_UPDATE_ROWS -> rows(in, header.type());
            case HEARTBEAT, HEARTBEAT_V2 -> new LogEvent.Heartbeat();
            case GTID -> transaction(in);
            case GTID_TAGGED -> tagged(in);
            case MARIADB_GTID -> group(in);
            case XA_PREPARE -> new LogEvent.UnplacedEnd("XA PREPARE");
            case TRANSACTION_PAYLOAD -> new LogEvent.UnplacedEnd("a compressed transaction");
            // the statement that uses the variables follows
            case INTVAR, RAND, USER_VAR -> new LogEvent.Nothing();
            case STOP,
                    ROWS_QUERY,
                    ANNOTATE_ROWS,
                    PREVIOUS_GTIDS,
                    GTID_LIST,
                    BINLOG_CHECKPOINT,
                    START_ENCRYPTION,
                    TRANSACTION_CONTEXT,
                    VIEW_CHANGE -> new LogEvent.Nothing();
            default ->
                hasNoPartitions(header.type())
                        ? rows(in, header.type())
                        : new LogEvent.Unplaced("an event of type " + header.type());
        };
    }

    private static boolean hasNoPartitions(int type) {
        return type >= WRITE_ROWS_V1 && type <= DELETE_ROWS_V1
                || type >= WRITE_ROWS_COMPRESSED_V1 && type <= DELETE_ROWS_COMPRESSED;
    }

    /** Forgets the table ids. Each transaction maps its tables again. */
    void forgetTables() {
        tables.clear();
    }

    private LogEvent.Statement statement(PayloadReader in, boolean whole) throws ProtocolException {
        in.int4();
        in.int4();
        int schemaLength = in.int1();
        in.int2();
        int variablesLength = in.int2();
        if (!whole) {
            return new LogEvent.Statement("");
        }
        in.skip(variablesLength);
        in.skip(schemaLength + 1);
        return new LogEvent.Statement(text(in));
    }

    /** Reads the text up to the checksum. */
    private String text(PayloadReader in) throws ProtocolException {
        return new String(in.take(in.remaining() - checksum), StandardCharsets.UTF_8);
    }

    private LogEvent.NextFile nextFile(PayloadReader in) throws ProtocolException {
        long offset = in.int8();
        return new LogEvent.NextFile(text(in), offset);
    }

    /**
     * Reads whether events have a checksum. It was switched off, but a server may not know that. This event ends with
     * the algorithm and a checksum in any case.
     */
    private LogEvent.Nothing format(PayloadReader in) throws ProtocolException {
        in.skip(in.remaining() - CHECKSUM - 1);
        checksum = in.int1() == 1 ? CHECKSUM : 0;
        return new LogEvent.Nothing();
    }

    private LogEvent.Mapped mapped(PayloadReader in) throws ProtocolException {
        long id = tableId(in);
        in.int2();
        String schema = name(in);
        TableName table = new TableName(schema, name(in));
        if (tables.size() >= MOST_TABLES) {
            tables.clear();
        }
        tables.put(id, table);
        return new LogEvent.Mapped(table);
    }

    private static long tableId(PayloadReader in) throws ProtocolException {
        return in.int4() | (long) in.int2() << 32;
    }

    private static String name(PayloadReader in) throws ProtocolException {
        String name = new String(in.take(in.int1()), StandardCharsets.UTF_8);
        in.int1();
        return name;
    }

    /** Rows of MySQL have extra data in their header, which may contain the partition. */
    private LogEvent rows(PayloadReader in, int type) throws ProtocolException {
        TableName table = tables.get(tableId(in));
        int flags = in.int2();
        if (table == null) {
            return new LogEvent.Unplaced("rows of an unknown table");
        }
        boolean cascades = type != WRITE_ROWS && !hasNoPartitions(type) && (flags & NO_HIDDEN_CASCADES) == 0;
        Set<Integer> partitions = new HashSet<>();
        if (!hasNoPartitions(type)) {
            int length = in.int2() - 2;
            int end = in.position() + length;
            while (in.position() < end) {
                int kind = in.int1();
                if (kind == NDB_INFO) {
                    in.skip(in.int1() - 1);
                } else if (kind == PARTITION_INFO) {
                    partitions.add(in.int2());
                    // a row that moves to another partition changes both
                    if (type == UPDATE_ROWS || type == PARTIAL_UPDATE_ROWS) {
                        partitions.add(in.int2());
                    }
                } else {
                    return new LogEvent.Rows(table, Set.of(), cascades);
                }
            }
        }
        return new LogEvent.Rows(table, Set.copyOf(partitions), cascades);
    }

    private static LogEvent.Transaction transaction(PayloadReader in) throws ProtocolException {
        in.int1();
        UUID uuid = new UUID(Long.reverseBytes(in.int8()), Long.reverseBytes(in.int8()));
        return transaction(uuid.toString(), in.int8());
    }

    /** The server numbers transactions from 1 to 2^63 - 2. */
    private static LogEvent.Transaction transaction(String source, long number) throws ProtocolException {
        if (number < 1 || number == Long.MAX_VALUE) {
            throw new ProtocolException("a GTID event has the number " + number + " (expected: 1..2^63 - 2)");
        }
        return new LogEvent.Transaction(source, number);
    }

    /**
     * Reads a GTID with a tag. The event is a message of MySQL's serialization library: version, size, number of fields
     * that must be known, and then each field after its number.
     *
     * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/PageLibsMysqlSerialization.html">serialization</a>
     */
    private static LogEvent.Transaction tagged(PayloadReader in) throws ProtocolException {
        if (variable(in) != 1) {
            throw new ProtocolException("a GTID event has an unknown version");
        }
        variable(in);
        variable(in);
        field(in, 0);
        variable(in);
        field(in, 1);
        byte[] uuid = new byte[16];
        for (int i = 0; i < uuid.length; i++) {
            uuid[i] = (byte) variable(in);
        }
        PayloadReader bytes = new PayloadReader(uuid);
        UUID server = new UUID(Long.reverseBytes(bytes.int8()), Long.reverseBytes(bytes.int8()));
        field(in, 2);
        // the lowest bit of a signed number is its sign
        long number = variable(in) >>> 1;
        field(in, 3);
        String tag = new String(in.take((int) variable(in)), StandardCharsets.US_ASCII);
        return transaction(tag.isEmpty() ? server.toString() : server + ":" + tag, number);
    }

    private static void field(PayloadReader in, long expected) throws ProtocolException {
        long number = variable(in);
        if (number != expected) {
            throw new ProtocolException("a GTID event has field " + number + " (expected: " + expected + ")");
        }
    }

    /** Reads a number whose first byte ends with as many 1 bits as bytes follow. */
    private static long variable(PayloadReader in) throws ProtocolException {
        int first = in.int1();
        int more = Integer.numberOfTrailingZeros(~first);
        long value = more >= 7 ? 0 : first >>> more + 1;
        int shift = Math.max(0, 7 - more);
        for (int i = 0; i < more; i++) {
            value |= (long) in.int1() << shift + 8 * i;
        }
        return value;
    }

    private static LogEvent.Group group(PayloadReader in) throws ProtocolException {
        in.int8();
        in.int4();
        return new LogEvent.Group((in.int1() & STANDALONE) != 0);
    }
}
