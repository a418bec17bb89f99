package io.fanfold.fuzz;

import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

/** Rewrites a statement with comments, unusual blanks and other letter case. Stateless. */
final class Disguise {
    private static final List<String> BLANKS = List.of(
            "  ",
            "\n",
            "\t",
            "\r\n",
            " /* c */ ",
            " -- c'\n",
            " # \"c\n",
            "/**/",
            " \n\n ",
            " /* FROM t ( */ ",
            " --\n");

    private static final Set<String> WORDS = Set.of(
            "SELECT",
            "DISTINCT",
            "FROM",
            "WHERE",
            "GROUP",
            "BY",
            "HAVING",
            "ORDER",
            "LIMIT",
            "OFFSET",
            "AND",
            "OR",
            "AS",
            "DESC",
            "JOIN",
            "LEFT",
            "ON",
            "IS",
            "NULL",
            "NOT",
            "BETWEEN",
            "CASE",
            "WHEN",
            "THEN",
            "ELSE",
            "END");

    private Disguise() {}

    /** Returns the statement as rewritten with {@code seed}; unchanged for 0. */
    static String of(int seed, String sql) {
        if (seed == 0) {
            return sql;
        }
        Random random = new Random(seed);
        boolean lower = random.nextInt(3) == 0;
        StringBuilder out = new StringBuilder();
        int at = 0;
        while (at < sql.length()) {
            int end = pieceEnd(sql, at);
            String piece = sql.substring(at, end);
            if (piece.equals(" ")) {
                out.append(random.nextInt(8) == 0 ? BLANKS.get(random.nextInt(BLANKS.size())) : " ");
            } else {
                out.append(lower && WORDS.contains(piece) ? piece.toLowerCase(Locale.ROOT) : piece);
            }
            at = end;
        }
        return out.toString();
    }

    /** Returns the end of the string, name, comment, word or single character that starts there. */
    private static int pieceEnd(String sql, int start) {
        char first = sql.charAt(start);
        if (first == '\'' || first == '"' || first == '`') {
            return quotedEnd(sql, start, first);
        }
        if (sql.startsWith("/*", start)) {
            return sql.indexOf("*/", start) + 2;
        }
        int end = start + 1;
        while (Character.isLetter(first) && end < sql.length() && isWord(sql.charAt(end))) {
            end++;
        }
        return end;
    }

    private static int quotedEnd(String sql, int start, char quote) {
        int at = start + 1;
        while (sql.charAt(at) != quote) {
            at += sql.charAt(at) == '\\' && quote != '`' ? 2 : 1;
        }
        return at + 1;
    }

    private static boolean isWord(char c) {
        return Character.isLetterOrDigit(c) || c == '_';
    }
}
