package io.fanfold.execute;

import io.fanfold.execute.ClientPort.Command;
import io.fanfold.execute.ClientPort.Reply;
import io.fanfold.row.Row;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * How often a session has run each command that may change rows or end a transaction, as the server counts them ({@code Com_%}). The
 * server counts what stored functions and triggers run too. Two that are equal, inside one transaction, prove that it has changed
 * nothing between them (test: {@code TransactionIT}).
 *
 * @param counts by the name of the variable, without those that only read
 */
record CommandCounts(Map<String, Long> counts) {
    /** What the client's connection is asked. An underscore stands for any character here, so Compression answers too. */
    static final Command QUESTION =
            new Command.Query("SHOW SESSION STATUS LIKE 'Com_%'".getBytes(StandardCharsets.US_ASCII));

    /** The commands that neither change rows nor end a transaction; {@code Com_show_...} are such too. */
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

    /** Reads the reply to {@link #QUESTION}; empty where it is none. */
    static Optional<CommandCounts> of(Reply reply) {
        if (!(reply instanceof Reply.Rows status)) {
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

    /** The same after a command has been run so often more. */
    CommandCounts plus(String command, long times) {
        Map<String, Long> more = new HashMap<>(counts);
        more.merge(command, times, Long::sum);
        return new CommandCounts(more);
    }

    /** The first command whose number differs, for the log. */
    String difference(CommandCounts other) {
        return counts.keySet().stream()
                .filter(command -> !Objects.equals(counts.get(command), other.counts.get(command)))
                .sorted()
                .findFirst()
                .orElse("");
    }
}
