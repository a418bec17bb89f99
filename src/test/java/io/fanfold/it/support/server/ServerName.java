package io.fanfold.it.support.server;

import io.fanfold.wire.ServerFlavor;

/** The servers that tests can request. */
public enum ServerName {
    /** Oracle MySQL 9.7 (or the one named by a property), in a container. */
    MYSQL(ServerFlavor.MYSQL, "MySQL (container)"),
    /** MariaDB from the binaries of the demo, available without a container. */
    MARIADB(ServerFlavor.MARIADB, "MariaDB (embedded)"),
    /** MariaDB 10.11 in a container, with the plugin auth_ed25519, which the binaries of the demo lack. */
    MARIADB_WITH_PLUGINS(ServerFlavor.MARIADB, "MariaDB (container)"),
    /** MariaDB 11.4 in a container. */
    MARIADB_114(ServerFlavor.MARIADB, "MariaDB 11.4 (container)"),
    /** MariaDB 11.8 in a container. */
    MARIADB_118(ServerFlavor.MARIADB, "MariaDB 11.8 (container)"),
    /** Oracle MySQL 8.0 in a container. */
    MYSQL_80(ServerFlavor.MYSQL, "MySQL 8.0 (container)");

    private final ServerFlavor kind;
    private final String title;

    ServerName(ServerFlavor kind, String title) {
        this.kind = kind;
        this.title = title;
    }

    public ServerFlavor kind() {
        return kind;
    }

    @Override
    public String toString() {
        return title;
    }
}
