package io.fanfold.session;

import io.fanfold.execute.SessionName;
import io.fanfold.protocol.CommandCode;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Whose a session is, and the schema in which it is, as far as is known: by its login, and by what the server says when it is asked about a
 * statement. After a command that may change it, it is not known until then; what is looked up by a wrong one costs time, and
 * nothing else. Safe for all threads.
 */
final class SessionSchema {
    private volatile String user;
    private volatile @Nullable String name;

    /**
     * @param user of the login
     * @param login the schema that it named; empty for none
     */
    SessionSchema(String user, String login) {
        this.user = user;
        this.name = login;
    }

    /** The user name of the last login. */
    String user() {
        return user;
    }

    /**
     * How the log names the session.
     *
     * @param thread the id of its connection on the server
     */
    String sessionName(long thread) {
        return SessionName.of(thread, user, name);
    }

    /** Null where it is not known. */
    @Nullable
    String name() {
        return name;
    }

    /** The server says so. */
    void is(String schema) {
        name = schema;
    }

    /**
     * A command goes to the server.
     *
     * @param payload whole, or its first bytes
     * @param text where the text of a COM_QUERY begins
     */
    void sent(byte[] payload, int code, int text) {
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

    /** Whether a text begins with USE, or with something of which that is not known. */
    private static boolean mayUse(byte[] payload, int text) {
        int at = QueryText.begin(payload, Math.max(0, text));
        return at == payload.length || "uU/-#(".indexOf(payload[at]) >= 0;
    }
}
