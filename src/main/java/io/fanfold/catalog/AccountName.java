package io.fanfold.catalog;

import java.util.regex.Pattern;

/**
 * An account of the server, as SQL statements name it. Immutable.
 *
 * @param user its user name
 * @param host its host, with wildcards
 */
public record AccountName(String user, String host) {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_$][A-Za-z0-9_$]*");

    /** Placeholder for a schema with an unknown name. */
    public static final String SOME_SCHEMA = "your_schema";

    /** @param currentUser the value of {@code CURRENT_USER()} */
    public static AccountName of(String currentUser) {
        int at = currentUser.lastIndexOf('@');
        return at < 0
                ? new AccountName(currentUser, "%")
                : new AccountName(currentUser.substring(0, at), currentUser.substring(at + 1));
    }

    /** Returns a GRANT of privileges on all tables of a schema. */
    public String grant(String privileges, String schema) {
        return "GRANT " + privileges + " ON " + name(schema) + ".* TO " + this + ";";
    }

    /** Returns a GRANT of privileges on one table. */
    public String grant(String privileges, TableName table) {
        return "GRANT " + privileges + " ON " + name(table.schema()) + "." + name(table.table()) + " TO " + this + ";";
    }

    /** Returns a name for SQL, quoted only if necessary. */
    public static String name(String identifier) {
        return PLAIN.matcher(identifier).matches() ? identifier : TableName.quote(identifier);
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
    }

    @Override
    public String toString() {
        return quoted(user) + "@" + quoted(host);
    }
}
