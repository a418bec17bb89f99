package io.fanfold.session.channel;

import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.ServerPacket;
import io.netty.buffer.ByteBuf;

/**
 * The errors that the proxy itself sends to clients, with the codes, names and SQLSTATEs of the servers. Drivers see
 * from SQLSTATE class 08 that the connection is at fault, and connect to another host. All error packets are created
 * here.
 *
 * @see <a href="https://dev.mysql.com/doc/mysql-errors/9.7/en/server-error-reference.html">server errors</a>
 */
public enum ProxyError {
    CON_COUNT_ERROR(1040, "08004"),
    HANDSHAKE_ERROR(1043, "08S01"),
    /** The proxy stops. */
    SERVER_SHUTDOWN(1053, "08S01"),
    UNKNOWN_ERROR(1105, "HY000"),
    NET_PACKETS_OUT_OF_ORDER(1156, "08S01"),
    /** The server cannot be reached. */
    NET_READ_ERROR(1158, "08S01"),
    NET_READ_INTERRUPTED(1159, "08S01"),
    WRONG_ARGUMENTS(1210, "HY000"),
    SECURE_TRANSPORT_REQUIRED(3159, "HY000");

    /**
     * The first of the codes that client libraries use for their own errors. MariaDB Connector/C takes a packet with
     * such a code for malformed, and its caller sees nothing else (seen with MariaDB 10.11.19).
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
    public byte[] payload(String message) {
        return payload(new ServerPacket.Err(code, sqlState, message));
    }

    /**
     * Returns one packet with its header. In place of a greeting its sequence id is 0. There servers omit the SQLSTATE
     * (MySQL 9.7, MariaDB 10.11: "Too many connections"). But MariaDB Connector/J 4.0.0 connects to the next host only
     * if it reads class 08; libmysql shows the SQLSTATE there as the beginning of the message.
     *
     * @param sequence its sequence id; only the low 8 bits count
     */
    public ByteBuf packet(int sequence, String message) {
        return PacketCodec.frame(payload(message), sequence);
    }

    /** The proxy stops. The text is that of the servers. */
    public static ByteBuf shutdown(int sequence) {
        return SERVER_SHUTDOWN.packet(sequence, "Server shutdown in progress");
    }

    /** The login takes too long. The text is that of the servers. */
    public static ByteBuf loginTimeout(int sequence) {
        return NET_READ_INTERRUPTED.packet(sequence, "Got timeout reading communication packets");
    }

    /** Encodes an error of another origin, for instance of a worker. Codes of the client libraries are replaced. */
    public static byte[] payload(ServerPacket.Err error) {
        boolean ofClients = error.code() >= FIRST_OF_CLIENTS && error.code() <= LAST_OF_CLIENTS;
        ServerPacket.Err sent =
                ofClients ? new ServerPacket.Err(UNKNOWN_ERROR.code, UNKNOWN_ERROR.sqlState, error.message()) : error;
        return sent.encode();
    }
}
