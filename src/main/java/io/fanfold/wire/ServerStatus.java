package io.fanfold.wire;

/**
 * Status flags in OK and EOF packets.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/mysql__com_8h.html">SERVER_STATUS_flags_enum</a>
 */
public final class ServerStatus {
    public static final int IN_TRANSACTION = 1;
    public static final int AUTOCOMMIT = 2;
    public static final int MORE_RESULTS = 8;
    public static final int NO_GOOD_INDEX_USED = 16;
    public static final int NO_INDEX_USED = 32;
    public static final int CURSOR_EXISTS = 64;
    public static final int LAST_ROW_SENT = 128;
    public static final int NO_BACKSLASH_ESCAPES = 512;
    public static final int IN_READ_ONLY_TRANSACTION = 1 << 13;
    public static final int SESSION_STATE_CHANGED = 1 << 14;
    public static final int ANSI_QUOTES = 1 << 15;

    private ServerStatus() {}

    /** Whether autocommit is on and no transaction is open. */
    public static boolean outsideTransaction(int status) {
        return (status & (AUTOCOMMIT | IN_TRANSACTION)) == AUTOCOMMIT;
    }
}
