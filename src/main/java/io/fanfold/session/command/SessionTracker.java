package io.fanfold.session.command;

import io.fanfold.session.channel.QueryText;
import io.fanfold.wire.Capability;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;

/**
 * Detects whether the server reports session state changes with every statement (session tracking). Statements of such
 * a session are not split, and preflight queries are better avoided: the replies to proxy commands would receive the
 * reports that belong to the client. Event loop only.
 *
 * <p>It is detected from SET texts, or from the first reply to a proxy command that contains a report. If neither shows
 * it, the settings that are read before a fan-out do.
 */
final class SessionTracker {
    private static final String PREFIX = "session_track_";

    /**
     * The part of a variable list that makes the server report the statement's id, which changes with every statement.
     */
    private static final String STATEMENT_ID = "statement_id";

    /** The variables that may cause a report with every statement. */
    private enum Setting {
        TRANSACTION_INFO("transaction_info", true),
        GTIDS("gtids", false),
        SYSTEM_VARIABLES("system_variables", false);

        private final String rest;
        private final boolean onMariaDb;

        Setting(String rest, boolean onMariaDb) {
            this.rest = rest;
            this.onMariaDb = onMariaDb;
        }
    }

    private final boolean tracked;
    private final long capabilities;
    private final ServerFlavor flavor;

    /** Not changed but replaced: an idle client needs no set of its own. */
    private Set<Setting> reported = Set.of();

    private boolean seen;

    SessionTracker(long capabilities, ServerFlavor flavor) {
        this.capabilities = capabilities;
        this.tracked = Capability.has(capabilities, Capability.SESSION_TRACK);
        this.flavor = flavor;
    }

    /** Whether the client receives a report with every statement, as far as is known. */
    boolean reportsEach() {
        return seen || !reported.isEmpty();
    }

    /** The reply to a proxy command contained a report. */
    void reportedToProxy() {
        seen = true;
    }

    /**
     * A command is sent to the server.
     *
     * @param payload whole, or its first bytes
     */
    void sent(byte[] payload, int code) {
        if (code == CommandCode.RESET_CONNECTION || code == CommandCode.CHANGE_USER) {
            reported = Set.of();
            seen = false;
        } else if (tracked && code == CommandCode.QUERY) {
            int offset = QueryText.offset(payload, capabilities);
            if (offset >= 0 && isSet(payload, offset)) {
                set(new String(payload, offset, payload.length - offset, StandardCharsets.ISO_8859_1));
            }
        }
    }

    /** Whether a text begins with SET; only such texts are searched. */
    private static boolean isSet(byte[] payload, int offset) {
        return payload.length > offset + 3
                && (payload[offset] | 0x20) == 's'
                && (payload[offset + 1] | 0x20) == 'e'
                && (payload[offset + 2] | 0x20) == 't';
    }

    /**
     * Searches a text for assignments. Each character is examined only a few times, however often a variable occurs.
     */
    private void set(String text) {
        ListValues lists = new ListValues(text);
        for (int at = 0; at <= text.length() - PREFIX.length(); at++) {
            if (!startsAt(text, at, PREFIX) || isGlobal(text, at)) {
                continue;
            }
            for (Setting setting : Setting.values()) {
                int value =
                        (setting.onMariaDb || flavor.isMySql()) && startsAt(text, at + PREFIX.length(), setting.rest)
                                ? value(text, at + PREFIX.length() + setting.rest.length())
                                : -1;
                if (value < 0) {
                    continue;
                }
                seen = false;
                boolean tells = setting == Setting.SYSTEM_VARIABLES ? lists.tells(value) : tells(setting, text, value);
                reports(setting, tells);
                // other names in a list are part of its value
                at = (tells && setting == Setting.SYSTEM_VARIABLES ? lists.end(value) : value) - 1;
                break;
            }
        }
    }

    private void reports(Setting setting, boolean tells) {
        Set<Setting> changed = EnumSet.noneOf(Setting.class);
        changed.addAll(reported);
        if (tells) {
            changed.add(setting);
        } else {
            changed.remove(setting);
        }
        reported = changed;
    }

    private static boolean startsAt(String text, int at, String word) {
        // called for each character: most do not match the first one
        return at < text.length()
                && (text.charAt(at) | 0x20) == (word.charAt(0) | 0x20)
                && text.regionMatches(true, at, word, 0, word.length());
    }

    private static boolean isGlobal(String text, int at) {
        int before = at - "global.".length();
        return before >= 0 && startsAt(text, before, "global") && (text.charAt(at - 1) == '.' || isBlank(text, at - 1));
    }

    /**
     * @param at the index after a variable's name
     * @return the index where the value begins, within its quotes; -1 if none is assigned
     */
    private static int value(String text, int at) {
        int next = afterBlanks(text, is(text, at, '`') ? at + 1 : at);
        next = is(text, next, ':') ? next + 1 : next;
        if (!is(text, next, '=')) {
            return -1;
        }
        next = afterBlanks(text, next + 1);
        return afterBlanks(text, is(text, next, '\'') || is(text, next, '"') ? next + 1 : next);
    }

    private static boolean tells(Setting setting, String text, int at) {
        if (setting == Setting.GTIDS) {
            return startsAt(text, at, "all_gtids") || isNumber(text, at, '2');
        }
        return startsAt(text, at, "state")
                || startsAt(text, at, "characteristics")
                || isNumber(text, at, '1')
                || isNumber(text, at, '2');
    }

    private static boolean isNumber(String text, int at, char digit) {
        return is(text, at, digit)
                && (at + 1 == text.length()
                        || !Character.isLetterOrDigit(text.charAt(at + 1)) && text.charAt(at + 1) != '_');
    }

    private static boolean is(String text, int at, char sign) {
        return at < text.length() && text.charAt(at) == sign;
    }

    private static boolean isBlank(String text, int at) {
        return " \t\n\u000b\f\r".indexOf(text.charAt(at)) >= 0;
    }

    private static int afterBlanks(String text, int from) {
        int at = from;
        while (at < text.length() && isBlank(text, at)) {
            at++;
        }
        return at;
    }

    /**
     * The lists in a text. The methods are called from the beginning to the end of the text, so nothing is searched
     * twice.
     */
    private static final class ListValues {
        private final String text;
        private int end = -1;
        private int found = -1;

        ListValues(String text) {
            this.text = text;
        }

        /** Returns the index where a list that begins there ends. */
        int end(int from) {
            end = Math.max(end, from);
            while (end < text.length() && "'\";".indexOf(text.charAt(end)) < 0) {
                end++;
            }
            return end;
        }

        /** Whether a list that begins there causes a report with every statement. */
        boolean tells(int from) {
            found = Math.max(found, from);
            while (found < text.length() && text.charAt(found) != '*' && !startsAt(text, found, STATEMENT_ID)) {
                found++;
            }
            return found < end(from);
        }
    }
}
