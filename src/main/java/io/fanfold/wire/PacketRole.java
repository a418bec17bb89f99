package io.fanfold.wire;

/** The role of a server packet within its response. */
public enum PacketRole {
    /** An OK packet, or the EOF packet that ends the response of a single-packet command. */
    OK,
    /** An error; it ends the response, even one with several results. */
    ERROR,
    /** MariaDB's progress report; the response continues. */
    PROGRESS,
    /** The head of the reply to a prepare. */
    PREPARE_OK,
    /** The number of columns of a result set. */
    COLUMN_COUNT,
    /** The definition of a parameter. */
    PARAMETER,
    /** The definition of a column. */
    COLUMN,
    /** The EOF packet after definitions, for clients without DEPRECATE_EOF. */
    DEFINITIONS_END,
    ROW,
    /** The end of a result set's rows; another result may follow. */
    ROWS_END,
    /** A request for a file; the client sends its bytes, then an empty packet. */
    LOCAL_INFILE,
    /** A step of authentication, which may need a response from the client. */
    AUTHENTICATION,
    /** The text of COM_STATISTICS. */
    TEXT,
    /** A packet that belongs to no command. */
    UNSOLICITED,
    /** A packet of a stream that is not followed. */
    OPAQUE
}
