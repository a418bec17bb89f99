package io.fanfold.observe;

import io.fanfold.observe.LineReader.Line;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Reads a slow query log of MySQL or MariaDB as a stream. It holds one statement at a time, and only the beginning of a
 * long one. For one thread.
 *
 * <p>The server writes {@code use} only when the schema differs from that of the entry before, also if that was another
 * session's. A session without a schema has no mark in MySQL's log, so its statements count for the schema before.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/9.7/en/slow-query-log.html">the slow query log</a>
 * @see <a href="https://mariadb.com/kb/en/slow-query-log-extended-statistics/">MariaDB's extended statistics</a>
 */
final class SlowLogReader {
    private static final String TIME = "# Time: ";
    private static final String USER = "# User@Host: ";
    /** {@code 2026-11-26T12:42:12.567875Z}, {@code 2026-11-26T12:42:12.567875+01:00}, {@code 261126 12:42:14}. */
    private static final String TIME_CHARACTERS = "0123456789-+:.TZ ";

    private static final String ADMINISTRATOR = "# administrator command: ";

    private final int longest;
    private final String leftOut;
    private final Consumer<LoggedStatement> to;

    /** The lines of an entry come in this order. */
    private enum Part {
        /** Before the first entry, and after the header that a server writes when it opens the log. */
        OUTSIDE,
        /** Lines that begin with a number sign. */
        FACTS,
        /** {@code use} and {@code SET timestamp}. */
        PRELUDE,
        STATEMENT
    }

    private Part part = Part.OUTSIDE;
    private String schema = "";
    private String user = "";
    private long nanos = -1;
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();
    private boolean cut;
    private boolean complete;
    private long read;
    private long otherUsers;
    private String firstTime = "";
    private String lastTime = "";

    /**
     * What a log contains.
     *
     * @param statements the number of its entries, without those left out
     * @param leftOut the number of entries of the account that is left out
     * @param from the time of its first entry as the server wrote it, "" if it has none
     * @param to the time of its last entry
     */
    record SlowLog(long statements, long leftOut, String from, String to) {}

    /**
     * @param longest how many bytes of a statement are kept
     * @param leftOut the name of an account whose statements are left out; "" for none
     * @param to receives the statements
     */
    SlowLogReader(int longest, String leftOut, Consumer<LoggedStatement> to) {
        this.longest = longest;
        this.leftOut = leftOut;
        this.to = to;
    }

    /** Reads a log to its end. An instance reads one log. */
    SlowLog read(InputStream in) throws IOException {
        LineReader lines = new LineReader(in, longest);
        for (Line line = lines.next(); line != null; line = lines.next()) {
            take(line);
        }
        endEntry();
        return new SlowLog(read, otherUsers, firstTime, lastTime);
    }

    private void take(Line line) {
        byte[] bytes = line.bytes();
        if (startedWith(line)) {
            endEntry();
            part = Part.OUTSIDE;
            // the server forgets which schema it wrote last
            schema = "";
        } else if ((part != Part.STATEMENT || complete) && beginsEntry(line)) {
            if (part != Part.FACTS || nanos >= 0) {
                endEntry();
            }
            part = Part.FACTS;
            fact(string(bytes));
        } else if (part == Part.FACTS && begins(bytes, "#") && !begins(bytes, ADMINISTRATOR)) {
            fact(string(bytes));
        } else if (part == Part.STATEMENT) {
            statement(line);
        } else if (part != Part.OUTSIDE) {
            part = Part.PRELUDE;
            prelude(line);
        }
    }

    /** Whether a line is the first of the header that a server writes when it opens the log. Two more lines follow. */
    private static boolean startedWith(Line line) {
        if (line.last() != ':' || line.cut()) {
            return false;
        }
        String text = string(line.bytes());
        return text.contains(", Version: ") && text.stripTrailing().endsWith("started with:");
    }

    /** Whether a line begins an entry. A line of a statement may begin alike, so its form is checked. */
    private static boolean beginsEntry(Line line) {
        if (begins(line.bytes(), TIME)) {
            String time = string(line.bytes()).substring(TIME.length()).strip();
            return !line.cut() && !time.isEmpty() && time.chars().allMatch(c -> TIME_CHARACTERS.indexOf(c) >= 0);
        }
        return begins(line.bytes(), USER) && !line.cut() && string(line.bytes()).contains("] @ ");
    }

    private void fact(String line) {
        if (line.startsWith(TIME)) {
            lastTime = line.substring(TIME.length()).strip();
            firstTime = firstTime.isEmpty() ? lastTime : firstTime;
        } else if (line.startsWith(USER)) {
            int end = line.indexOf('[');
            user = line.substring(USER.length(), end < 0 ? line.length() : end).strip();
        } else {
            String time = value(line, "Query_time: ");
            if (!time.isEmpty()) {
                nanos = nanos(time);
            }
            String named = value(line, "Schema: ");
            if (line.contains("Schema: ")) {
                schema = named;
            }
        }
    }

    /** Returns the word after a name and its colon; "" if there is none. */
    private static String value(String line, String name) {
        int at = line.indexOf(name);
        if (at < 0) {
            return "";
        }
        int start = at + name.length();
        int end = start;
        while (end < line.length() && line.charAt(end) > ' ') {
            end++;
        }
        return line.substring(start, end);
    }

    /** Returns seconds as nanoseconds; -1 if the text is no number. */
    private static long nanos(String seconds) {
        try {
            return Math.max(0, Math.round(Double.parseDouble(seconds) * 1e9));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private void prelude(Line line) {
        String text = line.cut() ? "" : string(line.bytes()).strip();
        String lower = text.toLowerCase(Locale.ROOT);
        if (lower.startsWith("use ") && lower.endsWith(";")) {
            schema = unquoted(text.substring(4, text.length() - 1).strip());
        } else if (lower.startsWith("set ") && lower.contains("timestamp=") && lower.endsWith(";")) {
            part = Part.STATEMENT;
        } else {
            part = Part.STATEMENT;
            statement(line);
        }
    }

    private static String unquoted(String name) {
        boolean quoted = name.length() > 1 && name.startsWith("`") && name.endsWith("`");
        return quoted ? name.substring(1, name.length() - 1).replace("``", "`") : name;
    }

    private void statement(Line line) {
        if (text.size() > 0) {
            text.write('\n');
        }
        int kept = Math.max(0, Math.min(line.bytes().length, longest - text.size()));
        text.write(line.bytes(), 0, kept);
        cut |= line.cut() || kept < line.bytes().length;
        complete = line.last() == ';' || complete && line.last() == 0;
    }

    private void endEntry() {
        if (nanos >= 0 && text.size() > 0) {
            if (!leftOut.isEmpty() && leftOut.equals(user)) {
                otherUsers++;
            } else {
                read++;
                to.accept(new LoggedStatement(schema, "", withoutSemicolon(), cut, 1, nanos));
            }
        }
        nanos = -1;
        text.reset();
        cut = false;
        complete = false;
    }

    private String withoutSemicolon() {
        String sql = text.toString(StandardCharsets.UTF_8).strip();
        return !cut && sql.endsWith(";") ? sql.substring(0, sql.length() - 1) : sql;
    }

    private static boolean begins(byte[] bytes, String with) {
        if (bytes.length < with.length()) {
            return false;
        }
        for (int i = 0; i < with.length(); i++) {
            if (bytes[i] != with.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static String string(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
