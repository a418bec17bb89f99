package io.fanfold.it;

/** The product behind a test server. */
public enum ServerKind {
    MYSQL,
    MARIADB
}
