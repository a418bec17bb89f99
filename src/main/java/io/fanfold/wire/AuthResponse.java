package io.fanfold.wire;

import java.util.Arrays;

/**
 * A client's authentication data: the plugin's part of a handshake response or of COM_CHANGE_USER. Immutable.
 *
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_handshake_response.html">handshake
 *     response</a>
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_change_user.html">COM_CHANGE_USER</a>
 */
public final class AuthResponse {
    /**
     * Length of flags, packet size, character set, filler and MariaDB's flags. A TLS request consists of these only.
     */
    public static final int HEAD = 32;

    /** The plugin of a client that names none. */
    private static final String DEFAULT_PLUGIN = "mysql_native_password";

    /** The default compression level. */
    private static final byte ZSTD_LEVEL = 3;

    private final byte[] payload;
    private final boolean lenenc;
    private final boolean zeroEnded;
    private final int start;
    private final int end;
    private final byte[] bytes;
    private final String user;
    private final String database;
    private final String plugin;

    private AuthResponse(
            PayloadReader in,
            byte[] payload,
            String user,
            boolean lenenc,
            boolean zeroEnded,
            long capabilities,
            boolean command)
            throws ProtocolException {
        this.payload = payload;
        this.user = user;
        this.lenenc = lenenc;
        this.zeroEnded = zeroEnded;
        this.start = in.position();
        this.bytes = zeroEnded ? in.nulTerminated() : lenenc ? in.lenencBytes() : in.take(in.int1());
        this.end = in.position();
        boolean located = command || Capability.has(capabilities, Capability.CONNECT_WITH_DB);
        this.database = located ? in.nulTerminatedString() : "";
        if (command) {
            if (in.remaining() >= 2) {
                in.skip(2);
            }
        }
        boolean named = Capability.has(capabilities, Capability.PLUGIN_AUTH) && in.remaining() > 0;
        this.plugin = named ? in.nulTerminatedString() : DEFAULT_PLUGIN;
    }

    /**
     * Reads a handshake response.
     *
     * @param capabilities the client's, with {@link Capability#PROTOCOL_41}
     */
    public static AuthResponse ofHandshake(byte[] payload, long capabilities) throws ProtocolException {
        PayloadReader in = new PayloadReader(payload);
        in.skip(HEAD);
        String user = in.nulTerminatedString();
        boolean lenenc = Capability.has(capabilities, Capability.PLUGIN_AUTH_LENENC_DATA);
        boolean zeroEnded = !lenenc && !Capability.has(capabilities, Capability.SECURE_CONNECTION);
        return new AuthResponse(in, payload, user, lenenc, zeroEnded, capabilities, false);
    }

    /**
     * Reads a COM_CHANGE_USER.
     *
     * @param capabilities the connection's negotiated capabilities
     */
    public static AuthResponse ofChangeUser(byte[] payload, long capabilities) throws ProtocolException {
        PayloadReader in = new PayloadReader(payload);
        in.skip(1);
        String user = in.nulTerminatedString();
        boolean zeroEnded = !Capability.has(capabilities, Capability.SECURE_CONNECTION);
        return new AuthResponse(in, payload, user, false, zeroEnded, capabilities, true);
    }

    /**
     * Returns the capability flags in a handshake response.
     *
     * @param payload all of it, or its first {@link #HEAD} bytes
     */
    public static long capabilities(byte[] payload) throws ProtocolException {
        PayloadReader in = new PayloadReader(payload);
        long flags = in.int2();
        if (!Capability.has(flags, Capability.PROTOCOL_41)) {
            return flags;
        }
        flags |= (long) in.int2() << 16;
        if (!Capability.has(flags, Capability.CLIENT_MYSQL)) {
            in.skip(4 + 1 + 19);
            flags |= in.int4() << 32;
        }
        return flags;
    }

    /** Returns the handshake response, or its head, with the TLS flag set or cleared. */
    public static byte[] withTls(byte[] payload, boolean encrypted) {
        byte[] changed = payload.clone();
        int bit = (int) (Capability.SSL >>> 8);
        changed[1] = (byte) (encrypted ? changed[1] | bit : changed[1] & ~bit);
        return changed;
    }

    /**
     * Returns the handshake response with another compression method.
     *
     * @param asked the capability of the method, 0 for none
     */
    public static byte[] withCompression(byte[] payload, long asked) throws ProtocolException {
        long all = Capability.COMPRESS | Capability.ZSTD_COMPRESSION;
        long flags = capabilities(payload);
        byte[] changed = payload.clone();
        for (int i = 0; i < 4; i++) {
            changed[i] = (byte) ((flags & ~all | asked) >>> Byte.SIZE * i);
        }
        // with zstd, the level is the last byte
        boolean has = Capability.has(flags, Capability.ZSTD_COMPRESSION);
        boolean wants = Capability.has(asked, Capability.ZSTD_COMPRESSION);
        if (has && !wants) {
            return Arrays.copyOf(changed, changed.length - 1);
        }
        if (wants && !has) {
            byte[] longer = Arrays.copyOf(changed, changed.length + 1);
            longer[changed.length] = ZSTD_LEVEL;
            return longer;
        }
        return changed;
    }

    /** Returns a copy of the plugin's data. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** Returns the user name. */
    public String user() {
        return user;
    }

    /** Returns the session's first default database; empty for none. */
    public String database() {
        return database;
    }

    /** Returns the name of the plugin that made the data. */
    public String plugin() {
        return plugin;
    }

    /** Returns the whole payload with other data in place of the plugin's. */
    public byte[] with(byte[] other) throws ProtocolException {
        if (Arrays.equals(other, bytes)) {
            return payload;
        }
        if (!lenenc && !zeroEnded && other.length > 255) {
            throw new ProtocolException("an answer of " + other.length + " bytes does not fit (expected: 255 at most)");
        }
        PayloadWriter out = new PayloadWriter().bytes(Arrays.copyOf(payload, start));
        if (zeroEnded) {
            out.nulTerminated(other);
        } else if (lenenc) {
            out.lenencBytes(other);
        } else {
            out.int1(other.length).bytes(other);
        }
        return out.bytes(Arrays.copyOfRange(payload, end, payload.length)).toBytes();
    }
}
