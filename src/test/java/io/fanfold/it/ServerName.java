package io.fanfold.it;

/** The servers that tests can ask for. */
public enum ServerName {
    /** Oracle MySQL 9.7 (or what was named by a property), in a container. */
    MYSQL(ServerKind.MYSQL, "MySQL (container)"),
    /** MariaDB from the binaries of the demo; there without any container. */
    MARIADB(ServerKind.MARIADB, "MariaDB (embedded)"),
    /** MariaDB 10.11 in a container, with the plugin auth_ed25519, which the binaries of the demo lack. */
    MARIADB_WITH_PLUGINS(ServerKind.MARIADB, "MariaDB (container)");

    private final ServerKind kind;
    private final String title;

    ServerName(ServerKind kind, String title) {
        this.kind = kind;
        this.title = title;
    }

    public ServerKind kind() {
        return kind;
    }

    @Override
    public String toString() {
        return title;
    }
}
