package io.fanfold.session;

import io.fanfold.protocol.Capability;
import io.fanfold.protocol.CommandCode;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether the server tells the client something of each statement. Such a session is not split, and is best asked nothing: the
 * answers to the proxy's questions would be told what the client is to be told. Event loop only.
 *
 * <p>It is known from texts that set it, and else from the first answer to the proxy that was told something. Where neither
 * is so, the settings that are read before a split say it still.
 */
final class StatementTracking {
    /** A variable that is set, in the first group where it is to a value with which something is told of each statement. */
    private static final List<Pattern> ON_MARIADB =
            List.of(setting("session_track_transaction_info", "state|characteristics|[12]\\b"));

    private static final List<Pattern> ON_MYSQL = List.of(
            ON_MARIADB.get(0),
            setting("session_track_gtids", "all_gtids|2\\b"),
            setting("session_track_system_variables", "[^'\";]*(?:\\*|statement_id)"));

    private final boolean told;
    private final long capabilities;
    private final List<Pattern> settings;
    private final Set<Pattern> telling = new HashSet<>();
    private boolean seen;

    StatementTracking(long capabilities, boolean mariaDb) {
        this.capabilities = capabilities;
        this.told = Capability.has(capabilities, Capability.SESSION_TRACK);
        this.settings = mariaDb ? ON_MARIADB : ON_MYSQL;
    }

    private static Pattern setting(String variable, String telling) {
        return Pattern.compile(
                "(?<!global[\\s.])" + variable + "`?\\s*:?=\\s*['\"]?\\s*(" + telling + ")?", Pattern.CASE_INSENSITIVE);
    }

    /** Whether the client is told something of each statement, as far as is known. */
    boolean tellsOfEach() {
        return seen || !telling.isEmpty();
    }

    /** An answer to the proxy's own question was told something. */
    void toldToProxy() {
        seen = true;
    }

    /**
     * A command goes to the server.
     *
     * @param payload whole, or its first bytes
     */
    void sent(byte[] payload, int code) {
        if (code == CommandCode.RESET_CONNECTION || code == CommandCode.CHANGE_USER) {
            telling.clear();
            seen = false;
        } else if (told && code == CommandCode.QUERY) {
            int offset = QueryText.offset(payload, capabilities);
            if (offset >= 0 && isSet(payload, offset)) {
                set(new String(payload, offset, payload.length - offset, StandardCharsets.ISO_8859_1));
            }
        }
    }

    /** Few texts are: the others are not searched. */
    private static boolean isSet(byte[] payload, int offset) {
        return payload.length > offset + 3
                && (payload[offset] | 0x20) == 's'
                && (payload[offset + 1] | 0x20) == 'e'
                && (payload[offset + 2] | 0x20) == 't';
    }

    private void set(String text) {
        for (Pattern setting : settings) {
            Matcher found = setting.matcher(text);
            while (found.find()) {
                seen = false;
                if (found.group(1) != null) {
                    telling.add(setting);
                } else {
                    telling.remove(setting);
                }
            }
        }
    }
}
