package io.fanfold.sql;

import java.util.Optional;

/**
 * Recognises {@code KILL [HARD|SOFT] [CONNECTION|QUERY] <integer>}, which the session also has to apply to the
 * statements that it runs on other connections. Stateless.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/kill.html">KILL</a>
 * @see <a href="https://mariadb.com/kb/en/kill/">KILL of MariaDB</a>
 */
public final class KillStatement {
    private static final int MAX_DIGITS = 18;

    private final byte[] bytes;
    private final int end;
    private int at;

    private KillStatement(byte[] bytes, int offset, int length) {
        this.bytes = bytes;
        this.at = offset;
        this.end = offset + length;
    }

    /**
     * The target of a KILL.
     *
     * @param queryOnly whether to kill only the running statement, not the connection
     * @param threadId the connection's id, 0 or more
     */
    public record KillTarget(boolean queryOnly, long threadId) {}

    /**
     * Parses a statement.
     *
     * @param bytes the statement's text, in a character set in which bytes below 0x80 are ASCII
     * @return the target; empty for any other statement, including other forms of KILL
     */
    public static Optional<KillTarget> parse(byte[] bytes, int offset, int length) {
        return new KillStatement(bytes, offset, length).run();
    }

    private Optional<KillTarget> run() {
        if (!take("kill")) {
            return Optional.empty();
        }
        if (!take("hard")) {
            take("soft");
        }
        boolean queryOnly = take("query");
        if (!queryOnly) {
            take("connection");
        }
        skip();
        int from = at;
        long id = 0;
        while (at < end && bytes[at] >= '0' && bytes[at] <= '9' && at - from < MAX_DIGITS) {
            id = id * 10 + bytes[at++] - '0';
        }
        boolean digits = at > from;
        skip();
        if (at < end && bytes[at] == ';') {
            at++;
            skip();
        }
        return digits && at == end ? Optional.of(new KillTarget(queryOnly, id)) : Optional.empty();
    }

    private boolean take(String word) {
        skip();
        if (LeadingBlanks.word(bytes, at, end, word)) {
            at += word.length();
            return true;
        }
        return false;
    }

    private void skip() {
        at = LeadingBlanks.skip(bytes, at, end);
    }
}
