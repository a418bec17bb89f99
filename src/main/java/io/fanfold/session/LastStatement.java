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

    /** Statements that begin so leave FOUND_ROWS() as it is, unless they have a query in them. */
    private static final List<String> LEAVE_ROWS = List.of(
            "set ",
            "use ",
            "begin",
            "start transaction",
            "commit",
            "rollback",
            "savepoint ",
            "release savepoint ",
            "lock tables ",
            "unlock tables");

    /** What could stand behind the first statement of several, and what asks tables. */
    private static final Words MORE = new Words(List.of(";", "select", "table ", "values", "with", "for "));

    private static final Words SEVERAL = new Words(List.of(";"));

    /**
     * Statements that begin so leave FOUND_ROWS() as it is as well, but have a row count and warnings of their own (MySQL 9.7.4,
     * MariaDB 10.11.18). So does an UPDATE of one table on MariaDB; MySQL counts the rows that it finds.
     */
    private static final List<String> CHANGE = List.of(
            "insert ",
            "replace ",
            "delete from ",
            "truncate table ",
            "truncate ",
            "create table ",
            "create temporary table ",
            "create index ",
            "create unique index ",
            "create database ",
            "drop table ",
            "drop temporary table ",
            "drop index ",
            "drop database ",
            "alter table ");

    /** What makes one of these a query, or several statements, or an answer with rows. */
    private static final Words CHANGE_BY_QUERY = new Words(
            List.of(";", "select", "table ", "row(", "row (", "with", "using", "join", "returning", "as values"));

    private static final String UPDATE = "update ";
    private static final String SET = " set ";

    /** Longer ones are not searched for a query. */
    private static final int LONGEST_CHANGE = 1 << 16;

    /** MariaDB: errors of statements that did not begin to run. */
    private static final Set<Integer> NOT_RUN = Set.of(1044, 1046, 1049, 1054, 1064, 1142, 1143, 1146);

    /** Longer ones might not fit into max_allowed_packet. */
    private static final long LONGEST_LIST = 1_000;

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
        int length = payload.length - offset;
        if (pending() && offset >= 0 && leavesRows(payload, offset, length)) {
            seen = true;
        } else if (pending() && offset >= 0 && changes(payload, offset, length)) {
            seen = true;
            changed = true;
            error = null;
        } else {
            relayed(response, offset >= 0 && !SEVERAL.in(payload, offset, length));
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

    private static boolean leavesRows(byte[] sql, int offset, int length) {
        for (String head : LEAVE_ROWS) {
            if (startsWith(sql, offset, offset + length, head)) {
                return !MORE.in(sql, offset + head.length(), length - head.length());
            }
        }
        return false;
    }

    private boolean changes(byte[] sql, int offset, int length) {
        if (length > LONGEST_CHANGE) {
            return false;
        }
        for (String head : CHANGE) {
            if (startsWith(sql, offset, offset + length, head)) {
                // MySQL leaves FOUND_ROWS() as it is even if it fills a new table by a query
                Words others = !mariaDb && head.startsWith("create") ? SEVERAL : CHANGE_BY_QUERY;
                return !others.in(sql, offset + head.length(), length - head.length());
            }
        }
        return mariaDb && updatesOneTable(sql, offset, length);
    }

    private static boolean updatesOneTable(byte[] sql, int offset, int length) {
        int end = offset + length;
        if (!startsWith(sql, offset, end, UPDATE)) {
            return false;
        }
        for (int at = offset + UPDATE.length(); at < end && sql[at] != ','; at++) {
            if (startsWith(sql, at, end, SET)) {
                return !CHANGE_BY_QUERY.in(sql, offset + UPDATE.length(), length - UPDATE.length());
            }
        }
        return false;
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
     * @param prepare whether it is only prepared
     * @return queries to be run first, their results to be dropped; empty when there is nothing to be done
     */
    List<String> before(byte[] sql, int offset, int length, boolean prepare) {
        if (!pending() && !prepare || !ASK.in(sql, offset, length)) {
            return List.of();
        }
        boolean rowsAsked = ASK_ROWS.in(sql, offset, length);
        boolean countAsked = ASK_COUNT.in(sql, offset, length);
        boolean conditionsAsked = ASK_CONDITIONS.in(sql, offset, length);
        preparedAsksRows |= prepare && rowsAsked;
        preparedAsks |= prepare && (rowsAsked || countAsked || conditionsAsked);
        boolean byName = (prepare || changed) && ASK_ROWS_BY_NAME.in(sql, offset, length);
        preparedAsksRowsByName |= prepare && byName;
        if (changed) {
            return byName && !countAsked && !conditionsAsked ? repair() : List.of();
        }
        boolean lacking = countAsked && !counted || conditionsAsked && !told;
        return rowsAsked || lacking && !seen ? repair() : List.of();
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

    private static String list(long rows, String name) {
        return "JSON_TABLE(CONCAT('[1',REPEAT(',1'," + (rows - 1) + "),']'),'$[*]' COLUMNS(x INT PATH '$')) " + name;
    }

    /** Words that are looked for in one go, in lower case. */
    private static final class Words {
        private final List<String> words;

        /** The characters that they begin with: most of a text are others. */
        private final boolean[] first = new boolean[128];

        Words(List<String> words) {
            this.words = words;
            words.forEach(word -> first[word.charAt(0)] = true);
        }

        boolean in(byte[] sql, int offset, int length) {
            int end = offset + length;
            for (int start = offset; start < end; start++) {
                int letter = lower(sql[start]);
                if (letter >= 0 && first[letter] && at(sql, start, end)) {
                    return true;
                }
            }
            return false;
        }

        private boolean at(byte[] sql, int start, int end) {
            for (String word : words) {
                if (startsWith(sql, start, end, word)) {
                    return true;
                }
            }
            return false;
        }
    }

    private static boolean startsWith(byte[] sql, int start, int end, String word) {
        if (end - start < word.length()) {
            return false;
        }
        int matched = 0;
        while (matched < word.length() && lower(sql[start + matched]) == word.charAt(matched)) {
            matched++;
        }
        return matched == word.length();
    }

    private static int lower(byte letter) {
        return letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter;
    }
}
