package io.fanfold.wire;

/** The shapes of responses, by command. */
enum ResponseKind {
    /** OK, error, a request for a file, or a result set; several may follow each other. */
    RESULT,
    /** The reply to a prepare. */
    PREPARE,
    /** Rows, or column definitions in place of rows, up to an EOF. */
    ROWS,
    /** One packet: OK, EOF or error. */
    SINGLE,
    /** One packet of text. */
    TEXT,
    /** An exchange that ends with OK or error. */
    AUTHENTICATION,
    /** No response. */
    NONE,
    /** Not followed: replication streams and unknown commands. */
    OPAQUE;

    /**
     * @see <a
     *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_command_phase.html">commands</a>
     */
    static ResponseKind of(int command) {
        return switch (command) {
            case CommandCode.QUERY, CommandCode.PROCESS_INFO, CommandCode.STMT_EXECUTE, CommandCode.STMT_BULK_EXECUTE ->
                RESULT;
            case CommandCode.STMT_PREPARE -> PREPARE;
            case CommandCode.STMT_FETCH, CommandCode.FIELD_LIST -> ROWS;
            case CommandCode.STATISTICS -> TEXT;
            case CommandCode.CHANGE_USER -> AUTHENTICATION;
            case CommandCode.INIT_DB,
                    CommandCode.CREATE_DB,
                    CommandCode.DROP_DB,
                    CommandCode.REFRESH,
                    CommandCode.SHUTDOWN,
                    CommandCode.PROCESS_KILL,
                    CommandCode.DEBUG,
                    CommandCode.PING,
                    CommandCode.REGISTER_SLAVE,
                    CommandCode.STMT_RESET,
                    CommandCode.SET_OPTION,
                    CommandCode.RESET_CONNECTION -> SINGLE;
            case CommandCode.QUIT, CommandCode.STMT_CLOSE, CommandCode.STMT_SEND_LONG_DATA -> NONE;
            default -> OPAQUE;
        };
    }
}
