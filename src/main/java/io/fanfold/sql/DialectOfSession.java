package io.fanfold.sql;

import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.Charset;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Determines from a session's variables how its texts are interpreted, or that they cannot be read. Stateless.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/sql-mode.html">sql_mode</a>
 */
public final class DialectOfSession {
    /**
     * Modes that change no text's meaning, or only that of refused texts. These are {@code ||}, and, for
     * {@code IGNORE_SPACE}, which MariaDB Connector/J always sets, blanks between a function's name and its
     * parenthesis.
     */
    private static final Set<String> HARMLESS = Set.of(
            "ALLOW_INVALID_DATES",
            "ERROR_FOR_DIVISION_BY_ZERO",
            "IGNORE_SPACE",
            "NO_AUTO_CREATE_USER",
            "NO_AUTO_VALUE_ON_ZERO",
            "NO_DIR_IN_CREATE",
            "NO_ENGINE_SUBSTITUTION",
            "NO_FIELD_OPTIONS",
            "NO_KEY_OPTIONS",
            "NO_TABLE_OPTIONS",
            "NO_UNSIGNED_SUBTRACTION",
            "NO_ZERO_DATE",
            "NO_ZERO_IN_DATE",
            "ONLY_FULL_GROUP_BY",
            "PAD_CHAR_TO_FULL_LENGTH",
            "PIPES_AS_CONCAT",
            "REAL_AS_FLOAT",
            "SIMULTANEOUS_ASSIGNMENT",
            "STRICT_ALL_TABLES",
            "STRICT_TRANS_TABLES",
            "TIME_ROUND_FRACTIONAL",
            "TIME_TRUNCATE_FRACTIONAL",
            "TRADITIONAL");

    private DialectOfSession() {}

    /**
     * Evaluates a session.
     *
     * @param sqlMode the value of {@code sql_mode}, modes joined by commas
     * @param flavor which server this is
     * @param characterSetClient the value of {@code character_set_client}
     * @throws RefusedException {@link Reason#SQL_MODE} or {@link Reason#CHARSET} if texts of the session are not read
     */
    public static SqlDialect of(String sqlMode, ServerFlavor flavor, String characterSetClient)
            throws RefusedException {
        boolean ansiQuotes = false;
        boolean noBackslashEscapes = false;
        for (String part : sqlMode.split(",")) {
            String mode = part.strip().toUpperCase(Locale.ROOT);
            if (mode.equals("ANSI_QUOTES")) {
                ansiQuotes = true;
            } else if (mode.equals("NO_BACKSLASH_ESCAPES")) {
                noBackslashEscapes = true;
            } else if (!mode.isEmpty() && !HARMLESS.contains(mode)) {
                throw new RefusedException(Reason.SQL_MODE, mode);
            }
        }
        Optional<Charset> charset = SessionCharset.javaCharset(characterSetClient);
        if (charset.isEmpty()) {
            throw new RefusedException(Reason.CHARSET, characterSetClient);
        }
        return new SqlDialect(flavor, ansiQuotes, noBackslashEscapes, charset.get());
    }
}
