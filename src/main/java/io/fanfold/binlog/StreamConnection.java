package io.fanfold.binlog;

import io.fanfold.client.PacketStream;
import io.fanfold.client.ServerException;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.WireConnection;
import io.fanfold.client.WireSettings;
import io.fanfold.row.Row;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.PayloadWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A connection that reads the server's binary log from now on.
 *
 * @param connection the connection
 * @param packets its events, each after an OK byte
 * @param start the position from which on it has all events
 * @param server the server's key, see {@link ServerFacts#serverKey}
 */
record StreamConnection(WireConnection connection, PacketStream packets, LogPosition start, String server) {
    private static final long HEARTBEAT_NANOS = Duration.ofSeconds(1).toNanos();

    /** A server that is silent for longer is not there. */
    private static final Duration SILENCE = Duration.ofSeconds(5);

    /** The dump command's flag that a GTID set follows. */
    private static final int THROUGH_GTID = 4;

    private static final String SNAPSHOT_POSITION = "SHOW STATUS LIKE 'binlog_snapshot_%'";

    /** How often two unequal readings of the position are repeated. */
    private static final int READINGS = 20;

    /**
     * Connects, checks the server, and asks for its log.
     *
     * @param serverId the server id that this replica has on the server
     * @throws IOException if the server is not there, or does not log all changes; the message says why
     * @throws ServerException if it refuses
     */
    static StreamConnection open(WireSettings settings, long serverId) throws IOException, ServerException {
        WireConnection connection = WireConnection.open(settings);
        boolean opened = false;
        try {
            connection.readTimeout(SILENCE);
            new StreamRequirements(connection).check();
            String server = ServerFacts.discover(connection).serverKey();
            StreamConnection stream = connection.identity().flavor().isMariaDb()
                    ? mariaDb(connection, serverId, server)
                    : mysql(connection, serverId, server);
            opened = true;
            return stream;
        } finally {
            if (!opened) {
                connection.close();
            }
        }
    }

    /**
     * The server sends the transactions that are not in gtid_executed, so none is lost in between.
     *
     * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_binlog_dump_gtid.html">the
     *     command</a>
     */
    private static StreamConnection mysql(WireConnection connection, long serverId, String server)
            throws IOException, ServerException {
        String uuid = UUID.randomUUID().toString();
        // the names with master and slave are those of MySQL 8.0
        connection.execute("SET @source_binlog_checksum = 'NONE', @master_binlog_checksum = 'NONE',"
                + " @source_heartbeat_period = " + HEARTBEAT_NANOS + ", @master_heartbeat_period = " + HEARTBEAT_NANOS
                + ", @replica_uuid = '" + uuid + "', @slave_uuid = '" + uuid + "'");
        Row executed = connection.query("SELECT @@global.gtid_executed").rows().get(0);
        GtidSet start = GtidSet.parse(String.valueOf(executed.utf8(0)));
        byte[] gtids = start.encode();
        PacketStream packets = connection.packets(new PayloadWriter()
                .int1(CommandCode.BINLOG_DUMP_GTID)
                .int2(THROUGH_GTID)
                .int4(serverId)
                .int4(0)
                .int8(4)
                .int4(gtids.length)
                .bytes(gtids)
                .toBytes());
        return new StreamConnection(connection, packets, new LogPosition.Executed(start), server);
    }

    /**
     * The log's end is read as the position of a snapshot, which needs no privilege.
     *
     * @see <a href="https://mariadb.com/docs/server/reference/clientserver-protocol/replication-protocol/com_binlog_dump">the
     *     command</a>
     */
    private static StreamConnection mariaDb(WireConnection connection, long serverId, String server)
            throws IOException, ServerException {
        connection.execute("SET @mariadb_slave_capability = 4, @master_binlog_checksum = 'NONE',"
                + " @master_heartbeat_period = " + HEARTBEAT_NANOS);
        connection.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
        LogPosition.InFile start = snapshotPosition(connection);
        connection.execute("ROLLBACK");
        PacketStream packets = connection.packets(new PayloadWriter()
                .int1(CommandCode.BINLOG_DUMP)
                .int4(start.offset())
                .int2(0)
                .int4(serverId)
                .bytes(start.file().getBytes(StandardCharsets.UTF_8))
                .toBytes());
        return new StreamConnection(connection, packets, start, server);
    }

    /**
     * Reads the position until two readings are equal. The server prepares file and offset in variables that all
     * sessions share, so one reading may mix two positions. A position of another session would be as good.
     */
    private static LogPosition.InFile snapshotPosition(WireConnection connection) throws IOException, ServerException {
        List<String> last = List.of();
        for (int i = 0; i < READINGS; i++) {
            List<String> values = new ArrayList<>();
            for (Row row : connection.query(SNAPSHOT_POSITION).rows()) {
                values.add(String.valueOf(row.utf8(1)));
            }
            if (values.equals(last) && values.size() == 2 && !values.get(0).isEmpty()) {
                return new LogPosition.InFile(values.get(0), Long.parseLong(values.get(1)));
            }
            last = values;
        }
        throw new IOException("the server names no position of its log");
    }
}
