package io.fanfold.session.command;

import io.fanfold.session.channel.Words;
import io.fanfold.wire.PacketRole;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import io.fanfold.wire.ServerPacket.Err;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The diagnostics area of a session as the client must see it: FOUND_ROWS(), ROW_COUNT() and the warnings of its last
 * statement. The server's own differs if the proxy answered the statement, or ran proxy commands after it. Then queries
 * that restore the server's state must run before a statement that reads it. Event loop only.
 *
 * <p>After an error FOUND_ROWS() keeps its old value; on MariaDB it is 0 if the statement had begun to run (measured on
 * MySQL 9.7 and MariaDB 10.11, see {@code FoundRowsIT}).
 */
final class DiagnosticsArea {
    /** Must run before the first preflight query of a statement, unless {@link #foundBefore} is true. */
    static final String FOUND_ROWS = "SELECT FOUND_ROWS()";

    private static final long UNKNOWN = -1;

    /** Words in statements that read FOUND_ROWS(). EXECUTE and CALL run other statements, which may read it. */
    private static final Words ASK_ROWS = new Words(List.of("found_rows", "execute", "call"));

    private static final Words ASK_ROWS_BY_NAME = new Words(List.of("found_rows"));
    private static final Words ASK_COUNT = new Words(List.of("row_count"));
    private static final Words ASK_CONDITIONS = new Words(List.of("warning", "error", "diagnostics"));

    /** The words of all three lists; most texts contain none of them. */
    private static final Words ASK =
            new Words(List.of("found_rows", "execute", "call", "row_count", "warning", "error", "diagnostics"));

    /** MariaDB: errors of statements that did not begin to run. */
    private static final Set<Integer> NOT_RUN = Set.of(1044, 1046, 1049, 1054, 1064, 1142, 1143, 1146);

    /** The longest list in one JSON_TABLE; a longer one may exceed max_allowed_packet. */
    private static final long LONGEST_LIST = 1_000;

    /** The largest number of one-row SELECTs in a UNION ALL. */
    private static final long LONGEST_UNION = 200;

    /** The longest message in characters that MySQL accepts. */
    private static final int LONGEST_MESSAGE = 128;

    /** A statement that does not change FOUND_ROWS() if it fails. */
    static final class RelayedStatement {
        /** The value of FOUND_ROWS() then; {@link #UNKNOWN} if the server has it. */
        private final long ifRefused;

        private RelayedStatement(long ifRefused) {
            this.ifRefused = ifRefused;
        }
    }

    private final ServerFlavor flavor;

    /** The value that FOUND_ROWS() must return; {@link #UNKNOWN} while the server has it. */
    private long rows = UNKNOWN;

    /** The error of the statement that set {@link #rows}; null if it succeeded. */
    private @Nullable Err error;

    /** Whether the server lacks only FOUND_ROWS(). */
    private boolean seen;

    /** Whether a later statement changed data: the server has its row count and warnings, which must not be lost. */
    private boolean changed;

    /** Whether the server has ROW_COUNT(). */
    private boolean counted;

    /** Whether the server has the warnings and errors. */
    private boolean told;

    /** The last statement that was sent without preflight queries; null if another was run since. */
    private @Nullable RelayedStatement relayed;

    /** The value of FOUND_ROWS() before the statement of the preflight queries. */
    private long before = UNKNOWN;

    private boolean preparedAsks;
    private boolean preparedAsksRows;
    private boolean preparedAsksRowsByName;

    DiagnosticsArea(ServerFlavor flavor) {
        this.flavor = flavor;
    }

    /** Whether the value of FOUND_ROWS() before the current statement is known. */
    boolean foundBefore() {
        return pending() || before != UNKNOWN;
    }

    /** @param found the answer to {@link #FOUND_ROWS}; if it has no number, the value stays unknown */
    void foundBefore(Reply found) {
        try {
            before = found instanceof Reply.Result answer && !answer.rows().isEmpty()
                    ? Long.parseLong(answer.rows().get(0).ascii(0))
                    : UNKNOWN;
        } catch (NumberFormatException e) {
            before = UNKNOWN;
        }
    }

    /** @param count the number of rows of the merged answer, 0 or more */
    void split(long count) {
        clear();
        rows = count;
    }

    /**
     * The proxy ended the statement with the error that the server would have returned.
     *
     * @param ran whether the statement had begun to run by then
     */
    void failed(Err with, boolean ran) {
        long found = flavor.isMariaDb() && ran ? 0 : known();
        clear();
        rows = Math.max(0, found);
        error = with;
    }

    /**
     * The server itself ended the statement with an error, after preflight queries.
     *
     * @param found the result of {@link #known} before the statement was sent
     * @param ran whether it may have begun to run
     */
    void refused(long found, boolean ran, Err with) {
        if (found != UNKNOWN && !(flavor.isMariaDb() && ran)) {
            clear();
            rows = found;
            error = with;
            seen = true;
        }
    }

    /**
     * Returns the value of FOUND_ROWS() before the current statement; -1 if it is unknown or no preflight query ran.
     */
    long known() {
        return pending() ? rows : before;
    }

    /** The server ran a statement, or forgot the last one. */
    void clear() {
        rows = UNKNOWN;
        before = UNKNOWN;
        error = null;
        seen = false;
        changed = false;
        counted = false;
        told = false;
        relayed = null;
    }

    /**
     * The server is sent a query without preflight queries.
     *
     * @param offset the index of the text's first byte; less than 0 if unknown
     * @return the statement, for {@link #answered}; null if it leaves FOUND_ROWS() as it is
     */
    @Nullable
    RelayedStatement relayed(byte[] payload, int offset) {
        RowsEffect effect = !pending() || offset < 0 ? RowsEffect.SETS : RowsEffect.of(payload, offset, flavor);
        switch (effect) {
            case LEAVES -> seen = true;
            case CHANGES -> {
                seen = true;
                changed = true;
                error = null;
            }
            case SETS, UNKNOWN -> {
                return relayed(offset >= 0 && !RowsEffect.several(payload, offset));
            }
        }
        return null;
    }

    /**
     * The server is sent a statement without preflight queries.
     *
     * @param single whether it is one statement that runs no other
     * @return the statement, for {@link #answered}
     */
    RelayedStatement relayed(boolean single) {
        RelayedStatement statement = new RelayedStatement(single ? rows : UNKNOWN);
        clear();
        relayed = statement;
        return statement;
    }

    /**
     * The server has answered a command of the client.
     *
     * @param statement what {@link #relayed} returned for it; null for other commands
     * @param last the packet that ended the response
     * @param errno the last error
     */
    void answered(@Nullable RelayedStatement statement, PacketRole last, int errno) {
        if (last == PacketRole.ERROR && statement != null && statement == relayed) {
            refused(statement.ifRefused, !NOT_RUN.contains(errno), new Err(errno, "HY000", ""));
        } else if (pending()) {
            switch (last) {
                case ERROR -> seen = true;
                case OK -> counted = true;
                // of a prepared statement
                case PREPARE_OK, PARAMETER, COLUMN, DEFINITIONS_END -> told = true;
                default -> {}
            }
        }
    }

    /** The session was reset, and its prepared statements are gone. */
    void reset() {
        clear();
        preparedAsks = false;
        preparedAsksRows = false;
        preparedAsksRowsByName = false;
    }

    private boolean pending() {
        return rows != UNKNOWN;
    }

    /**
     * Returns the queries that must run before a statement is run or prepared.
     *
     * @param offset the index of its text's first byte
     * @param prepare whether it is only prepared
     * @return queries whose results are dropped; empty if none are needed
     */
    List<String> before(byte[] payload, int offset, boolean prepare) {
        if (!pending()) {
            return List.of();
        }
        int length = payload.length - offset;
        if (!ASK.in(payload, offset, length)) {
            boolean unknown = !prepare && RowsEffect.of(payload, offset, flavor) == RowsEffect.UNKNOWN;
            return unknown ? restoreUnrequested() : List.of();
        }
        boolean rowsAsked = ASK_ROWS.in(payload, offset, length);
        boolean countAsked = ASK_COUNT.in(payload, offset, length);
        boolean conditionsAsked = ASK_CONDITIONS.in(payload, offset, length);
        if (changed) {
            boolean byName = ASK_ROWS_BY_NAME.in(payload, offset, length);
            return byName && !countAsked && !conditionsAsked ? restore() : List.of();
        }
        boolean lacking = countAsked && !counted || conditionsAsked && !told;
        return rowsAsked || lacking && !seen ? restore() : List.of();
    }

    /**
     * A statement is sent to be prepared.
     *
     * @param offset the index of its text's first byte
     */
    void prepared(byte[] payload, int offset) {
        int length = payload.length - offset;
        if (ASK.in(payload, offset, length)) {
            preparedAsks = true;
            preparedAsksRows |= ASK_ROWS.in(payload, offset, length);
            preparedAsksRowsByName |= ASK_ROWS_BY_NAME.in(payload, offset, length);
        }
    }

    /**
     * Restores FOUND_ROWS() before a statement whose effect on it is unknown. On MariaDB such a statement may keep the
     * warnings of the one before it. A query without tables keeps them too.
     */
    private List<String> restoreUnrequested() {
        return flavor.isMariaDb() && seen && rows <= LONGEST_UNION ? List.of(union(rows)) : restore();
    }

    /**
     * Returns the queries that must run before a prepared statement is executed, which may be one that reads the
     * diagnostics area.
     */
    List<String> beforeExecute() {
        boolean rowsAsked = changed ? preparedAsksRowsByName : preparedAsksRows;
        return rowsAsked || preparedAsks && !seen ? restore() : List.of();
    }

    private List<String> restore() {
        if (!pending()) {
            return List.of();
        }
        Err last = error;
        return last == null ? List.of(query(rows)) : List.of(query(rows), signal(last));
    }

    /** Returns a statement that ends with this error and changes only the conditions. */
    private static String signal(Err error) {
        StringBuilder message = new StringBuilder();
        error.message()
                .codePoints()
                .limit(LONGEST_MESSAGE)
                .forEach(letter -> message.append(
                        letter == '\''
                                ? "''"
                                : letter < ' ' || letter > '~' || letter == '\\' ? "?" : Character.toString(letter)));
        return "SIGNAL SQLSTATE '" + error.sqlState() + "' SET MYSQL_ERRNO=" + error.code() + ", MESSAGE_TEXT='"
                + message + "'";
    }

    /**
     * Returns a query of {@code count} rows that raises no warning and reads no table. For many rows it joins short
     * lists.
     */
    static String query(long count) {
        if (count == 0) {
            return "SELECT 1 FROM DUAL WHERE 1=0";
        }
        if (count <= LONGEST_LIST) {
            return "SELECT 1 FROM " + list(count, "t");
        }
        long squares = (count - 1) / (LONGEST_LIST * LONGEST_LIST) + 1;
        return "SELECT 1 FROM " + list(LONGEST_LIST, "t") + ", " + list(LONGEST_LIST, "u") + ", " + list(squares, "v")
                + " LIMIT " + count;
    }

    /** Returns a query of a few rows without a table function. */
    private static String union(long count) {
        return count == 0 ? query(0) : "SELECT 1" + " UNION ALL SELECT 1".repeat((int) count - 1);
    }

    private static String list(long rows, String name) {
        return "JSON_TABLE(CONCAT('[1',REPEAT(',1'," + (rows - 1) + "),']'),'$[*]' COLUMNS(x INT PATH '$')) " + name;
    }
}
