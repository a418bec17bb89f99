package io.fanfold.execute;

import io.fanfold.execute.ClientConnection.Command;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The number of times that a session has run each command that may change rows or end a transaction, from the server's
 * {@code Com_%} counters. The server also counts commands inside stored functions and triggers. Equal counts inside one
 * transaction prove that it has changed nothing in between (test: {@code TransactionIT}).
 *
 * @param counts by variable name, without the prefix and without commands that only read
 */
record CommandCounts(Map<String, Long> counts) {
    /** The query for the counters. The underscore matches any character here, so Compression is returned as well. */
    static final Command QUERY =
            new Command.ClientQuery("SHOW SESSION STATUS LIKE 'Com_%'".getBytes(StandardCharsets.US_ASCII));

    /** Commands that neither change rows nor end a transaction; {@code Com_show_...} are harmless too. */
    private static final Set<String> HARMLESS = Set.of(
            "admin_commands",
            "change_db",
            "dealloc_sql",
            "do",
            "empty_query",
            "execute_immediate",
            "execute_sql",
            "explain_other",
            "get_diagnostics",
            "help",
            "prepare_sql",
            "select",
            "set_option",
            "stmt_close",
            "stmt_execute",
            "stmt_fetch",
            "stmt_prepare",
            "stmt_reprepare",
            "stmt_reset",
            "stmt_send_long_data");

    private static final String PREFIX = "com_";

    CommandCounts {
        counts = Map.copyOf(counts);
    }

    /** Reads the reply to {@link #QUERY}; empty if it has no counters. */
    static Optional<CommandCounts> of(Reply reply) {
        if (!(reply instanceof Reply.Result status)) {
            return Optional.empty();
        }
        Map<String, Long> counts = new HashMap<>();
        for (Row row : status.rows()) {
            String name = String.valueOf(row.ascii(0)).toLowerCase(Locale.ROOT);
            String command = name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : "show_";
            if (!HARMLESS.contains(command) && !command.startsWith("show_")) {
                counts.put(command, Long.parseLong(String.valueOf(row.ascii(1))));
            }
        }
        return counts.isEmpty() ? Optional.empty() : Optional.of(new CommandCounts(counts));
    }

    /** Returns the counts after that many more runs of a command. */
    CommandCounts plus(String command, long times) {
        Map<String, Long> more = new HashMap<>(counts);
        more.merge(command, times, Long::sum);
        return new CommandCounts(more);
    }

    /** The first command whose count differs, for the log. */
    String difference(CommandCounts other) {
        return counts.keySet().stream()
                .filter(command -> !Objects.equals(counts.get(command), other.counts.get(command)))
                .sorted()
                .findFirst()
                .orElse("");
    }
}
