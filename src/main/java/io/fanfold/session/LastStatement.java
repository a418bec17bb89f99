package io.fanfold.session;

import io.fanfold.execute.ClientPort.Reply;
import io.fanfold.protocol.PacketRole;
import io.fanfold.protocol.ServerPacket.Err;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the client may ask of its last statement and the server does not know: FOUND_ROWS(), ROW_COUNT(), warnings. The
 * statement was answered by folding, or the proxy's own questions came in between. Then queries that leave the server in the
 * right state have to run first. Event loop only.
 *
 * <p>After an error FOUND_ROWS() is what it was before it; on MariaDB it is 0 where the statement had begun to run
 * (measured on MySQL 9.7 and MariaDB 10.11, see {@code FoundRowsIT}).
 */
final class LastStatement {
    /** To be asked before the first of the proxy's own questions about a statement, unless {@link #foundBefore} is known. */
    static final String FOUND_ROWS = "SELECT FOUND_ROWS()";

    private static final long UNKNOWN = -1;

    /** Who asks for rows; the last two run what was named before, and may ask. */
    private static final Words ASK_ROWS = new Words(List.of("found_rows", "execute", "call"));

    private static final Words ASK_ROWS_BY_NAME = new Words(List.of("found_rows"));
    private static final Words ASK_COUNT = new Words(List.of("row_count"));
    private static final Words ASK_CONDITIONS = new Words(List.of("warning", "error", "diagnostics"));

    /** All of these: most texts have none. */
    private static final Words ASK =
            new Words(List.of("found_rows", "execute", "call", "row_count", "warning", "error", "diagnostics"));

    /** MariaDB: errors of statements that did not begin to run. */
    private static final Set<Integer> NOT_RUN = Set.of(1044, 1046, 1049, 1054, 1064, 1142, 1143, 1146);

    /** Longer ones might not fit into max_allowed_packet. */
    private static final long LONGEST_LIST = 1_000;

    /** Selects of one row each that a query is made of at most. */
    private static final long LONGEST_UNION = 200;

    /** As many characters as MySQL lets a message have. */
    private static final int LONGEST_MESSAGE = 128;

    private final boolean mariaDb;

    /** What FOUND_ROWS() is to be; {@link #UNKNOWN} while the server knows. */
    private long rows = UNKNOWN;

    /** How the statement ended that has {@link #rows}; null where it succeeded. */
    private @Nullable Err error;

    /** Whether the server knows all but FOUND_ROWS(). */
    private boolean seen;

    /** Whether the server has a row count and warnings of a statement that changed something: they are not to be lost. */
    private boolean changed;

    /** Whether the server knows ROW_COUNT(). */
    private boolean counted;

    /** Whether the server knows the warnings and errors. */
    private boolean told;

    /** The response to a statement that leaves FOUND_ROWS() as it is where it ends with an error. */
    private long refusable = UNKNOWN;

    /** What FOUND_ROWS() is then. */
    private long ifRefused = UNKNOWN;

    /** What FOUND_ROWS() was before the statement about which the proxy asks. */
    private long before = UNKNOWN;

    private boolean preparedAsks;
    private boolean preparedAsksRows;
    private boolean preparedAsksRowsByName;

    LastStatement(boolean mariaDb) {
        this.mariaDb = mariaDb;
    }

    /** Whether what FOUND_ROWS() was before the statement at hand is known. */
    boolean foundBefore() {
        return pending() || before != UNKNOWN;
    }

    /** @param found the answer to {@link #FOUND_ROWS}; where it is none nothing is known */
    void foundBefore(Reply found) {
        try {
            before = found instanceof Reply.Rows answer && !answer.rows().isEmpty()
                    ? Long.parseLong(answer.rows().get(0).ascii(0))
                    : UNKNOWN;
        } catch (NumberFormatException e) {
            before = UNKNOWN;
        }
    }

    /** @param count rows of the folded answer, 0 or more */
    void folded(long count) {
        clear();
        rows = count;
    }

    /**
     * The statement ended with an error of the proxy's, as the server would have ended it.
     *
     * @param ran whether it had begun to run by then
     */
    void failed(Err with, boolean ran) {
        long found = mariaDb && ran ? 0 : known();
        clear();
        rows = Math.max(0, found);
        error = with;
    }

    /**
     * The server itself ended the statement with an error, behind the proxy's questions.
     *
     * @param found what {@link #known} was before the statement was sent
     * @param ran whether it could have begun to run
     */
    void refused(long found, boolean ran, Err with) {
        if (found != UNKNOWN && !(mariaDb && ran)) {
            clear();
            rows = found;
            error = with;
            seen = true;
        }
    }

    /** What FOUND_ROWS() was before the statement at hand; -1 where that is not known or the server was asked nothing. */
    long known() {
        return pending() ? rows : before;
    }

    /** The server saw a statement, or forgot the last one. */
    void clear() {
        rows = UNKNOWN;
        before = UNKNOWN;
        error = null;
        seen = false;
        changed = false;
        counted = false;
        told = false;
        refusable = UNKNOWN;
        ifRefused = UNKNOWN;
    }

    /**
     * The server is sent a query that nothing was asked about.
     *
     * @param offset where the text begins; less than 0 where that is not known
     * @param response the number of its response
     */
    void relayed(byte[] payload, int offset, long response) {
        if (!pending()) {
            relayed(response, offset >= 0 && !RowsEffect.several(payload, offset));
            return;
        }
        switch (offset < 0 ? RowsEffect.SETS : RowsEffect.of(payload, offset, mariaDb)) {
            case LEAVES -> seen = true;
            case CHANGES -> {
                seen = true;
                changed = true;
                error = null;
            }
            case SETS, UNKNOWN -> relayed(response, offset >= 0 && !RowsEffect.several(payload, offset));
        }
    }

    /**
     * The server is sent a statement that nothing was asked about.
     *
     * @param response the number of its response
     * @param single whether it is one statement that calls none
     */
    void relayed(long response, boolean single) {
        long found = single ? rows : UNKNOWN;
        clear();
        refusable = response;
        ifRefused = found;
    }

    /**
     * The server has answered a command of the client.
     *
     * @param response the number of its response
     * @param last the packet that ended it
     * @param errno the last error
     */
    void answered(long response, PacketRole last, int errno) {
        if (last == PacketRole.ERROR && response == refusable) {
            refused(ifRefused, !NOT_RUN.contains(errno), new Err(errno, "HY000", ""));
        } else if (pending()) {
            switch (last) {
                case ERROR -> seen = true;
                case OK -> counted = true;
                // of a statement that was prepared
                case PREPARE_OK, PARAMETER, COLUMN, DEFINITIONS_END -> told = true;
                default -> {}
            }
        }
    }

    /** The session was reset: the prepared statements are gone too. */
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
     * Looks at a statement to be run or prepared.
     *
     * @param offset where its text begins
     * @param prepare whether it is only prepared
     * @return queries to be run first, their results to be dropped; empty when there is nothing to be done
     */
    List<String> before(byte[] payload, int offset, boolean prepare) {
        if (!pending() && !prepare) {
            return List.of();
        }
        int length = payload.length - offset;
        if (!ASK.in(payload, offset, length)) {
            boolean unknown = !prepare && RowsEffect.of(payload, offset, mariaDb) == RowsEffect.UNKNOWN;
            return unknown ? repairUnasked() : List.of();
        }
        boolean rowsAsked = ASK_ROWS.in(payload, offset, length);
        boolean countAsked = ASK_COUNT.in(payload, offset, length);
        boolean conditionsAsked = ASK_CONDITIONS.in(payload, offset, length);
        preparedAsksRows |= prepare && rowsAsked;
        preparedAsks |= prepare && (rowsAsked || countAsked || conditionsAsked);
        boolean byName = (prepare || changed) && ASK_ROWS_BY_NAME.in(payload, offset, length);
        preparedAsksRowsByName |= prepare && byName;
        if (changed) {
            return byName && !countAsked && !conditionsAsked ? repair() : List.of();
        }
        boolean lacking = countAsked && !counted || conditionsAsked && !told;
        return rowsAsked || lacking && !seen ? repair() : List.of();
    }

    /**
     * Before a statement of which it is not known what it does to FOUND_ROWS(): then the server has to know it. On MariaDB
     * such a statement may leave the warnings of the one before it; a query without tables leaves them as well.
     */
    private List<String> repairUnasked() {
        return mariaDb && seen && rows <= LONGEST_UNION ? List.of(union(rows)) : repair();
    }

    /** A prepared statement is to be executed; it may be one that asks. */
    List<String> beforeExecute() {
        boolean rowsAsked = changed ? preparedAsksRowsByName : preparedAsksRows;
        return rowsAsked || preparedAsks && !seen ? repair() : List.of();
    }

    private List<String> repair() {
        if (!pending()) {
            return List.of();
        }
        Err last = error;
        return last == null ? List.of(query(rows)) : List.of(query(rows), signal(last));
    }

    /** Ends with that error, and leaves all but its conditions as it was. */
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

    /** A query of {@code count} rows that raises no warning and needs no table; many rows are made by a join of few. */
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

    /** The same without a table function, and of few rows. */
    private static String union(long count) {
        return count == 0 ? query(0) : "SELECT 1" + " UNION ALL SELECT 1".repeat((int) count - 1);
    }

    private static String list(long rows, String name) {
        return "JSON_TABLE(CONCAT('[1',REPEAT(',1'," + (rows - 1) + "),']'),'$[*]' COLUMNS(x INT PATH '$')) " + name;
    }
}
