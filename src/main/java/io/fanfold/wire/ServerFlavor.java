package io.fanfold.wire;

/** The two kinds of servers. A session's server has one flavor from its greeting on. */
public enum ServerFlavor {
    MYSQL("MySQL"),
    MARIADB("MariaDB");

    private final String title;

    ServerFlavor(String title) {
        this.title = title;
    }

    /** The name of the product. */
    public String title() {
        return title;
    }

    /** Returns {@link #MARIADB} if the condition holds, else {@link #MYSQL}. */
    public static ServerFlavor mariaDbIf(boolean condition) {
        return condition ? MARIADB : MYSQL;
    }

    public boolean isMariaDb() {
        return this == MARIADB;
    }

    public boolean isMySql() {
        return this == MYSQL;
    }
}
