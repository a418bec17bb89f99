package io.fanfold.demo;

import java.io.IOException;

/** The server refused a statement or a login. */
public final class SqlFailure extends IOException {
    private static final long serialVersionUID = 1L;

    private final int errno;

    /**
     * Creates one.
     *
     * @param errno the server's error number
     * @param sqlState five characters
     * @param text the server's text
     */
    public SqlFailure(int errno, String sqlState, String text) {
        super(errno + " (" + sqlState + "): " + text);
        this.errno = errno;
    }

    public int errno() {
        return errno;
    }
}
