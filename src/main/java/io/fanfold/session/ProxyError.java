package io.fanfold.session;

import io.fanfold.protocol.ServerPacket;
import io.netty.buffer.ByteBuf;

/**
 * The errors that the proxy itself sends to clients: codes, names and SQLSTATEs are the servers' own. By class 08 drivers know that
 * the connection is at fault, and connect to another host. The one place where error packets are made.
 *
 * @see <a href="https://dev.mysql.com/doc/mysql-errors/9.7/en/server-error-reference.html">server errors</a>
 */
enum ProxyError {
    CON_COUNT_ERROR(1040, "08004"),
    HANDSHAKE_ERROR(1043, "08S01"),
    /** The server went away while a client waited for it, or the proxy stops. */
    SERVER_SHUTDOWN(1053, "08S01"),
    UNKNOWN_ERROR(1105, "HY000"),
    NET_PACKETS_OUT_OF_ORDER(1156, "08S01"),
    /** The server cannot be reached. */
    NET_READ_ERROR(1158, "08S01"),
    NET_READ_INTERRUPTED(1159, "08S01"),
    WRONG_ARGUMENTS(1210, "HY000"),
    SECURE_TRANSPORT_REQUIRED(3159, "HY000");

    /**
     * Client libraries give these codes to errors of their own. MariaDB Connector/C takes a packet with one of them for a malformed
     * packet, and its caller sees no more than that (of MariaDB 10.11.19).
     */
    private static final int FIRST_OF_CLIENTS = 2000;

    private static final int LAST_OF_CLIENTS = 2999;

    private final int code;
    private final String sqlState;

    ProxyError(int code, String sqlState) {
        this.code = code;
        this.sqlState = sqlState;
    }

    int code() {
        return code;
    }

    /** @param message as UTF-8 */
    byte[] payload(String message) {
        return payload(new ServerPacket.Err(code, sqlState, message));
    }

    /**
     * One packet with its header. In place of a greeting it has the sequence id 0. Servers leave the SQLSTATE out there (MySQL 9.7,
     * MariaDB 10.11: "Too many connections"), but MariaDB Connector/J takes the next host only if it reads class 08 (4.0.0); libmysql
     * shows the SQLSTATE as the beginning of the message there.
     *
     * @param sequence its sequence id; only the low 8 bits count
     */
    ByteBuf packet(int sequence, String message) {
        return Packets.frame(sequence, payload(message));
    }

    /** The server went away between a command and the end of its answer. */
    static ByteBuf serverLost(int sequence) {
        return SERVER_SHUTDOWN.packet(sequence, "Lost connection to server during query");
    }

    /** An error of another origin, such as a worker's; of the client libraries' codes none is sent. */
    static byte[] payload(ServerPacket.Err error) {
        boolean ofClients = error.code() >= FIRST_OF_CLIENTS && error.code() <= LAST_OF_CLIENTS;
        ServerPacket.Err sent =
                ofClients ? new ServerPacket.Err(UNKNOWN_ERROR.code, UNKNOWN_ERROR.sqlState, error.message()) : error;
        return sent.encode();
    }
}
