package io.fanfold.execute;

import org.jspecify.annotations.Nullable;

/** The name of a session in the log: {@code session 1228 of me in shop}. */
public final class SessionName {
    private static final int LONGEST = 64;

    private SessionName() {}

    /**
     * Names a session.
     *
     * @param thread its connection's id on the server
     * @param user the user name of its login; "" if it is not known
     * @param schema its schema; empty if there is none, null if it is not known
     */
    public static String of(long thread, String user, @Nullable String schema) {
        return "session " + thread
                + (user.isEmpty() ? "" : " of " + shown(user))
                + (schema == null || schema.isEmpty() ? "" : " in " + shown(schema));
    }

    /** Cleans a name chosen by a client, so that it cannot look like a log line. */
    private static String shown(String name) {
        StringBuilder shown = new StringBuilder();
        name.codePoints()
                .limit(LONGEST)
                .map(c -> Character.isISOControl(c) || Character.isWhitespace(c) ? '?' : c)
                .forEach(shown::appendCodePoint);
        return shown.toString();
    }
}
