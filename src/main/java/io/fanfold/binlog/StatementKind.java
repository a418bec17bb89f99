package io.fanfold.binlog;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What a logged statement does to the rows of tables. An event contains one statement, also if the client sent several at
 * once. Hashes of passwords may contain any character.
 */
enum StatementKind {
    /** It begins a transaction. */
    BEGIN,

    /** It ends a transaction. */
    END,

    /** It changes no row. */
    HARMLESS,

    /** It may change any row of any table. */
    UNPLACED;

    private static final Set<String> ENDS = Set.of("COMMIT", "ROLLBACK");

    /** Account statements change only tables of the schema mysql. FLUSH closes tables and files. */
    private static final Set<String> HARMLESS_WORDS = Set.of("FLUSH", "GRANT", "REVOKE", "SAVEPOINT");

    /**
     * Statements with one of these first words have other effects if the second word differs: MariaDB's ANALYZE UPDATE
     * and SET STATEMENT change rows.
     */
    private static final Set<String> HARMLESS_PAIRS = Set.of(
            "ALTER USER",
            "ANALYZE TABLE",
            "CREATE ROLE",
            "CREATE USER",
            "DROP ROLE",
            "DROP USER",
            "RENAME USER",
            "ROLLBACK TO",
            "SET PASSWORD",
            "XA END");

    /** Returns the kind of a statement. */
    static StatementKind of(String text) {
        List<String> words = firstWords(text);
        String first = words.isEmpty() ? "" : words.get(0);
        if (words.size() == 1) {
            return first.equals("BEGIN") ? BEGIN : ENDS.contains(first) ? END : UNPLACED;
        }
        String pair = String.join(" ", words);
        if (pair.equals("XA START")) {
            return BEGIN;
        }
        return HARMLESS_WORDS.contains(first) || HARMLESS_PAIRS.contains(pair) ? HARMLESS : UNPLACED;
    }

    /** Returns the first two words, or fewer, in upper case. */
    private static List<String> firstWords(String text) {
        List<String> words = new ArrayList<>();
        int at = 0;
        while (at < text.length() && words.size() < 2) {
            int start = at;
            while (at < text.length() && !Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            if (at > start) {
                words.add(text.substring(start, at).toUpperCase(Locale.ROOT));
            }
            at++;
        }
        return words;
    }
}
