package io.fanfold.observe;

import io.fanfold.observe.SlowLogReader.SlowLog;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the SELECTs of a file: of a slow query log, or of a file of statements that end with semicolons. The text is UTF-8.
 * A statement that occurs several times is read once. For one thread.
 */
final class StatementFile {
    /** How much of a file tells whether it is a slow query log. */
    private static final int PEEK = 16 << 10;

    /** A file of statements may be this long, since it is read as a whole. */
    private static final int MOST_BYTES = 64 << 20;

    private static final Pattern USE = Pattern.compile("(?i)use\\s+(`?)([^`;\\s]++)\\1\\s*");

    private final int longest;
    private final Set<FileStatement> statements = new LinkedHashSet<>();

    /**
     * A statement of the file.
     *
     * @param schema the schema of its session; "" if it is not known
     */
    record FileStatement(String schema, String sql) {}

    private StatementFile(int longest) {
        this.longest = longest;
    }

    /**
     * Reads a file.
     *
     * @param schema the schema until the file names another; "" for none
     * @param longest the most bytes of a statement; longer ones of a slow log are left out
     */
    static List<FileStatement> read(InputStream file, String schema, int longest) throws IOException {
        StatementFile statements = new StatementFile(longest);
        BufferedInputStream in = new BufferedInputStream(file, PEEK);
        in.mark(PEEK);
        String head = new String(in.readNBytes(PEEK), StandardCharsets.UTF_8);
        in.reset();
        if (head.contains("# User@Host: ")) {
            SlowLog unused = new SlowLogReader(longest, "", logged -> statements.logged(schema, logged)).read(in);
        } else {
            byte[] text = in.readNBytes(MOST_BYTES + 1);
            if (text.length > MOST_BYTES) {
                throw new IOException("the file is longer than " + MOST_BYTES + " bytes, and no slow query log");
            }
            statements.split(new String(text, StandardCharsets.UTF_8), schema);
        }
        return List.copyOf(statements.statements);
    }

    private void logged(String schema, LoggedStatement logged) {
        if (!logged.cut()) {
            add(logged.schema().isEmpty() ? schema : logged.schema(), logged.sql());
        }
    }

    private void add(String schema, String sql) {
        if (isSelect(sql) && sql.length() <= longest) {
            statements.add(new FileStatement(schema, sql));
        }
    }

    /** Whether a text begins with SELECT or WITH, after parentheses. */
    private static boolean isSelect(String sql) {
        int at = 0;
        while (at < sql.length() && (sql.charAt(at) == '(' || Character.isWhitespace(sql.charAt(at)))) {
            at++;
        }
        return begins(sql, at, "select") || begins(sql, at, "with");
    }

    private static boolean begins(String sql, int at, String word) {
        int end = at + word.length();
        return sql.regionMatches(true, at, word, 0, word.length())
                && (end == sql.length() || !Character.isLetterOrDigit(sql.charAt(end)));
    }

    /** Splits a text at semicolons outside of quotes and comments. */
    private void split(String text, String schema) {
        String current = schema;
        int start = 0;
        int at = 0;
        while (at < text.length()) {
            int comment = afterComment(text, at);
            char c = text.charAt(at);
            if (comment > at) {
                // a comment between statements belongs to none
                start = text.substring(start, at).isBlank() ? comment : start;
                at = comment;
            } else if (c == '\'' || c == '"' || c == '`') {
                at = afterQuoted(text, at);
            } else if (c == ';') {
                current = end(text.substring(start, at), current);
                at++;
                start = at;
            } else {
                at++;
            }
        }
        String unused = end(text.substring(start), current);
    }

    /** Takes a statement, and returns the schema of the next one. */
    private String end(String text, String schema) {
        String sql = text.strip();
        Matcher use = USE.matcher(sql);
        if (use.matches()) {
            return use.group(2);
        }
        add(schema, sql);
        return schema;
    }

    /** Returns the end of a comment that begins there; the same index if none does. Hints are no comments here. */
    private static int afterComment(String text, int at) {
        boolean dashes =
                text.startsWith("--", at) && (at + 2 == text.length() || Character.isWhitespace(text.charAt(at + 2)));
        if (dashes || text.charAt(at) == '#') {
            int end = text.indexOf('\n', at);
            return end < 0 ? text.length() : end + 1;
        }
        if (text.startsWith("/*", at)) {
            int end = text.indexOf("*/", at + 2);
            return end < 0 ? text.length() : end + 2;
        }
        return at;
    }

    private static int afterQuoted(String text, int start) {
        char quote = text.charAt(start);
        for (int at = start + 1; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '\\' && quote != '`') {
                at++;
            } else if (c == quote) {
                return at + 1;
            }
        }
        return text.length();
    }

    /** Returns a statement in one line, at most that long. */
    static String line(String sql, int most) {
        StringBuilder words = new StringBuilder();
        for (int at = 0; at < sql.length(); at++) {
            char c = Character.isWhitespace(sql.charAt(at)) ? ' ' : sql.charAt(at);
            if (c != ' ' || !words.isEmpty() && words.charAt(words.length() - 1) != ' ') {
                words.append(c);
            }
        }
        String line = words.toString().strip();
        return line.length() <= most ? line : line.substring(0, Math.max(0, most - 3)) + "...";
    }
}
