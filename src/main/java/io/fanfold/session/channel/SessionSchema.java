package io.fanfold.session.channel;

import io.fanfold.execute.SessionName;
import io.fanfold.wire.CommandCode;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The user and the default schema of a session. Both are known from the login; the server also names the schema in
 * preflight queries. After a command that may change it, the schema is unknown until then. A lookup with a wrong schema
 * costs only time. Thread-safe.
 */
public final class SessionSchema {
    private volatile String user;
    private volatile @Nullable String name;

    /**
     * @param user of the login
     * @param login the schema of the login; empty for none
     */
    public SessionSchema(String user, String login) {
        this.user = user;
        this.name = login;
    }

    /** The user name of the last login. */
    public String user() {
        return user;
    }

    /**
     * The session's name in the log.
     *
     * @param thread the id of its connection on the server
     */
    public String sessionName(long thread) {
        return SessionName.of(thread, user, name);
    }

    /** The default schema; null if unknown. */
    @Nullable
    public String name() {
        return name;
    }

    /** Sets the default schema, as the server has named it. */
    public void is(String schema) {
        name = schema;
    }

    /**
     * A command is sent to the server.
     *
     * @param payload whole, or its first bytes
     * @param text the index where the text of a COM_QUERY begins
     */
    public void sent(byte[] payload, int code, int text) {
        boolean changes = switch (code) {
            case CommandCode.INIT_DB, CommandCode.CHANGE_USER, CommandCode.RESET_CONNECTION -> true;
            case CommandCode.QUERY -> mayUse(payload, text);
            default -> false;
        };
        if (changes) {
            name = null;
        }
        if (code == CommandCode.CHANGE_USER) {
            int end = 1;
            while (end < payload.length && payload[end] != 0) {
                end++;
            }
            user = new String(payload, 1, Math.max(0, end - 1), StandardCharsets.UTF_8);
        }
    }

    /** Whether a text begins with USE, or with something that may hide a USE. */
    private static boolean mayUse(byte[] payload, int text) {
        int at = QueryText.begin(payload, Math.max(0, text));
        return at == payload.length || "uU/-#(".indexOf(payload[at]) >= 0;
    }
}
