package io.fanfold.demo;

/**
 * An account of an {@link EmbeddedMariaDb}, valid from any host; the server itself listens only on the loopback
 * address.
 *
 * @param name user name, not empty
 * @param password may be empty: then the account has none
 * @param rights the text between GRANT and TO, such as {@code SELECT ON shop.*}; used unchanged
 */
public record UserAccount(String name, String password, String rights) {
    public UserAccount {
        requireOneLine("name", name);
        requireOneLine("password", password);
        requireOneLine("rights", rights);
        if (name.isEmpty() || rights.isEmpty()) {
            throw new IllegalArgumentException("an account needs a name and rights");
        }
    }

    /** Returns an account with all privileges, including GRANT OPTION. */
    public static UserAccount administrator(String name, String password) {
        return new UserAccount(name, password, "ALL PRIVILEGES ON *.*");
    }

    /** Returns an account that may read one database, like Fanfold's worker account. */
    public static UserAccount reader(String name, String password, String database) {
        return new UserAccount(name, password, "SELECT ON " + allOf(database));
    }

    /** Returns an account that may read and lock the tables of one database. */
    static UserAccount locker(String name, String password, String database) {
        return new UserAccount(name, password, "SELECT, LOCK TABLES ON " + allOf(database));
    }

    private static String allOf(String database) {
        // in a GRANT, an underscore in a database name matches any character
        return "`" + database.replace("`", "``").replace("_", "\\_") + "`.*";
    }

    /** The two statements that create the account, one per line as the server requires in its init file. */
    String statements() {
        String account = quoted(name) + "@'%'";
        String grantOption = rights.startsWith("ALL ") ? " WITH GRANT OPTION" : "";
        return "CREATE OR REPLACE USER " + account + " IDENTIFIED BY " + quoted(password) + ";\n" + "GRANT " + rights
                + " TO " + account + grantOption + ";\n";
    }

    @Override
    public String toString() {
        return "UserAccount[" + name + ", " + rights + "]";
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
    }

    private static void requireOneLine(String what, String text) {
        if (text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0 || text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("the " + what + " of an account has a line break or a zero in it");
        }
    }
}
