package io.fanfold.wire;

/**
 * Capability flags of the connection phase, as bits of a long. The low 32 bits are the protocol's, the high 32 bits are
 * MariaDB's extended ones.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/group__group__cs__capabilities__flags.html">flags</a>
 * @see <a href="https://mariadb.com/docs/server/reference/clientserver-protocol/1-connecting/connection">MariaDB</a>
 */
public final class Capability {
    /** MySQL: long password. MariaDB clears it to announce its extended capabilities. */
    public static final long CLIENT_MYSQL = 1L;

    public static final long FOUND_ROWS = 1L << 1;
    public static final long LONG_FLAG = 1L << 2;
    public static final long CONNECT_WITH_DB = 1L << 3;
    public static final long COMPRESS = 1L << 5;
    public static final long LOCAL_FILES = 1L << 7;
    public static final long PROTOCOL_41 = 1L << 9;
    public static final long SSL = 1L << 11;
    public static final long TRANSACTIONS = 1L << 13;
    public static final long SECURE_CONNECTION = 1L << 15;
    public static final long MULTI_STATEMENTS = 1L << 16;
    public static final long MULTI_RESULTS = 1L << 17;
    public static final long PS_MULTI_RESULTS = 1L << 18;
    public static final long PLUGIN_AUTH = 1L << 19;
    public static final long CONNECT_ATTRS = 1L << 20;
    public static final long PLUGIN_AUTH_LENENC_DATA = 1L << 21;
    public static final long SESSION_TRACK = 1L << 23;
    public static final long DEPRECATE_EOF = 1L << 24;
    public static final long OPTIONAL_RESULTSET_METADATA = 1L << 25;
    public static final long ZSTD_COMPRESSION = 1L << 26;
    public static final long QUERY_ATTRIBUTES = 1L << 27;
    public static final long MULTI_FACTOR = 1L << 28;

    /** MariaDB: progress reports are sent as error packets with code 0xffff. */
    public static final long MARIADB_PROGRESS = 1L << 32;

    /** MariaDB: column definitions include extended type information. */
    public static final long MARIADB_EXTENDED_METADATA = 1L << 35;

    /** MariaDB: column definitions may be left out when a statement is executed again. */
    public static final long MARIADB_CACHE_METADATA = 1L << 36;

    private Capability() {}

    public static boolean has(long capabilities, long flag) {
        return (capabilities & flag) != 0;
    }
}
