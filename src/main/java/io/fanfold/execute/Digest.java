package io.fanfold.execute;

/**
 * A statement's text without its literals, plus its schema. Statements that differ only in values have the same digest.
 */
public final class Digest {
    private Digest() {}

    /**
     * The digest of a statement in a session with that schema.
     *
     * @param schema empty if there is none
     */
    static String of(String schema, String sql) {
        return schema + '\n' + of(sql);
    }

    /** Replaces every number and quoted string by a question mark, and runs of blanks by one. A backslash is an escape. */
    public static String of(String sql) {
        return of(sql, true);
    }

    /**
     * Like {@link #of(String)}, for a session with any {@code sql_mode}.
     *
     * @param backslashEscapes false with {@code NO_BACKSLASH_ESCAPES}
     */
    static String of(String sql, boolean backslashEscapes) {
        StringBuilder digest = new StringBuilder(sql.length());
        int at = 0;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (c == '\'' || c == '"') {
                at = afterQuoted(sql, at, backslashEscapes);
                digest.append('?');
            } else if (c == '`') {
                int end = sql.indexOf('`', at + 1);
                int next = end < 0 ? sql.length() : end + 1;
                digest.append(sql, at, next);
                at = next;
            } else if (Character.isDigit(c) && !follows(digest)) {
                while (at < sql.length() && (Character.isLetterOrDigit(sql.charAt(at)) || sql.charAt(at) == '.')) {
                    at++;
                }
                digest.append('?');
            } else {
                if (!Character.isWhitespace(c)) {
                    digest.append(c);
                } else if (digest.length() > 0 && digest.charAt(digest.length() - 1) != ' ') {
                    digest.append(' ');
                }
                at++;
            }
        }
        return digest.toString();
    }

    /** Whether a digit here would belong to a name. */
    private static boolean follows(StringBuilder digest) {
        if (digest.length() == 0) {
            return false;
        }
        char last = digest.charAt(digest.length() - 1);
        return Character.isLetterOrDigit(last) || last == '_' || last == '$';
    }

    private static int afterQuoted(String sql, int start, boolean backslashEscapes) {
        char quote = sql.charAt(start);
        int at = start + 1;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (c == '\\' && backslashEscapes) {
                at++;
            } else if (c == quote) {
                if (at + 1 == sql.length() || sql.charAt(at + 1) != quote) {
                    return at + 1;
                }
                at++;
            }
            at++;
        }
        return sql.length();
    }
}
