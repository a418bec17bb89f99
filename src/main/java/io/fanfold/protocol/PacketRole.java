package io.fanfold.protocol;

/** What a packet of the server is within the response it belongs to. */
public enum PacketRole {
    /** A success, or a result set's end of the single-packet commands in EOF form. */
    OK,
    /** An error; it ends the response, also that of several results. */
    ERROR,
    /** MariaDB's progress report; the response goes on. */
    PROGRESS,
    /** The head of the reply to a prepare. */
    PREPARE_OK,
    /** How many columns the result set has. */
    COLUMN_COUNT,
    /** The definition of a parameter. */
    PARAMETER,
    /** The definition of a column. */
    COLUMN,
    /** The EOF packet after definitions, with clients that know no other form. */
    DEFINITIONS_END,
    ROW,
    /** The end of a result set's rows; another result may follow. */
    ROWS_END,
    /** The server asks for a file; the client sends its bytes, then an empty packet. */
    LOCAL_INFILE,
    /** A step of an authentication, which the client may have to answer. */
    AUTHENTICATION,
    /** The text of COM_STATISTICS. */
    TEXT,
    /** A packet nobody asked for. */
    UNSOLICITED,
    /** A packet of a stream that is not followed. */
    OPAQUE
}
