package io.fanfold.session;

import io.fanfold.protocol.CommandCode;
import org.jspecify.annotations.Nullable;

/**
 * The schema in which a session is, as far as is known: by its login, and by what the server says when it is asked about a
 * statement. After a command that may change it, it is not known until then; what is looked up by a wrong one costs time, and
 * nothing else. Safe for all threads.
 */
final class SessionSchema {
    private volatile @Nullable String name;

    /** @param login what the login named; empty for none */
    SessionSchema(String login) {
        this.name = login;
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
    }

    /** Whether a text begins with USE, or with a comment, behind which one may stand. */
    private static boolean mayUse(byte[] payload, int text) {
        int at = Math.max(0, text);
        while (at < payload.length && (payload[at] == ' ' || payload[at] >= '\t' && payload[at] <= '\r')) {
            at++;
        }
        return at == payload.length || "uU/-#(".indexOf(payload[at]) >= 0;
    }
}
