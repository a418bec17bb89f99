package io.fanfold.catalog;

import java.util.regex.Pattern;

/**
 * An account of the server, as its statements name it. Immutable.
 *
 * @param user its user name
 * @param host its host, with wildcards
 */
public record AccountName(String user, String host) {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_$][A-Za-z0-9_$]*");

    /** Stands for a schema whose name is not known. */
    public static final String SOME_SCHEMA = "your_schema";

    /** @param currentUser the value of {@code CURRENT_USER()} */
    public static AccountName of(String currentUser) {
        int at = currentUser.lastIndexOf('@');
        return at < 0
                ? new AccountName(currentUser, "%")
                : new AccountName(currentUser.substring(0, at), currentUser.substring(at + 1));
    }

    /** A statement that gives it a right on all tables of a schema. */
    public String grant(String privileges, String schema) {
        return "GRANT " + privileges + " ON " + name(schema) + ".* TO " + this + ";";
    }

    /** A statement that gives it a right on one table. */
    public String grant(String privileges, TableName table) {
        return "GRANT " + privileges + " ON " + name(table.schema()) + "." + name(table.table()) + " TO " + this + ";";
    }

    /** A name for SQL, quoted only if it has to be. */
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
