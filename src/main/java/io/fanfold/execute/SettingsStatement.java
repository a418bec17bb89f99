package io.fanfold.execute;

import io.fanfold.config.ConfigException;
import io.fanfold.config.RunningSettings;
import io.fanfold.config.SetException;
import io.fanfold.config.SettingsChange;
import io.fanfold.config.SettingsChange.ChangedSetting;
import io.fanfold.execute.ClientConnection.Command;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.ProxyStatement;
import io.fanfold.sql.SetFanfold;
import io.fanfold.status.StatusTable;
import io.fanfold.status.StatusTable.StatusColumn;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs {@code SET FANFOLD}, {@code RELOAD FANFOLD} and {@code PURGE FANFOLD REUSE}. The server decides who may: an account that may set the server's
 * own global variables. On a thread of {@link ProxyStatements}.
 */
record SettingsStatement(
        ClientConnection client,
        ProxyStatement statement,
        RunningSettings settings,
        Runnable purge,
        ServerFlavor flavor) {
    /**
     * Both servers check the account's right before the type of the value (MySQL 9.7, MariaDB 10.11). So this fails
     * either way and never changes anything. An account with SYSTEM_VARIABLES_ADMIN or SUPER gets
     * ER_WRONG_TYPE_FOR_VAR.
     */
    private static final Command MAY_SET =
            new Command.ClientQuery("SET GLOBAL sort_buffer_size = 'fanfold'".getBytes(StandardCharsets.US_ASCII));

    /**
     * So that SHOW WARNINGS does not show the error of the other one. MariaDB 10.11 forgets it only for a statement with
     * a table.
     */
    private static final Command CLEAR = new Command.ClientQuery(
            "SELECT 1 FROM information_schema.ENGINES LIMIT 0".getBytes(StandardCharsets.US_ASCII));

    private static final Set<String> PURGED = Set.of("reuse", "reuse;");

    private static final int ER_WRONG_TYPE_FOR_VAR = 1232;
    private static final int ER_PARSE_ERROR = 1064;
    private static final int ER_UNKNOWN_ERROR = 1105;

    void run() {
        try {
            Reply reply = Preflight.awaitAll(client, List.of(MAY_SET, CLEAR)).get(0);
            if (reply instanceof Reply.Failed refused && refused.errno() != ER_WRONG_TYPE_FOR_VAR) {
                // the server's own text names the privileges
                client.fail(refused.errno(), refused.sqlState(), refused.message(), false);
            } else if (statement instanceof ProxyStatement.SetVariable set) {
                set(set.rest());
            } else if (statement instanceof ProxyStatement.Reload reload) {
                reload(reload.rest());
            } else if (statement instanceof ProxyStatement.Purge asked) {
                purge(asked.rest());
            }
        } catch (RefusedException e) {
            client.passThrough();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            client.passThrough();
        }
    }

    private void set(String rest) {
        try {
            SetFanfold asked = SetFanfold.parse(rest);
            settings.set(asked.name(), asked.value(), SessionName.of(client.backendThreadId(), client.user(), null));
            client.succeed();
        } catch (SetFanfold.SyntaxException e) {
            client.fail(ER_PARSE_ERROR, "42000", String.valueOf(e.getMessage()), false);
        } catch (SetException e) {
            String message = String.valueOf(e.getMessage());
            switch (e.problem()) {
                case UNKNOWN -> client.fail(1193, "HY000", message, false);
                case READ_ONLY -> client.fail(1238, "HY000", message, false);
                case WRONG_VALUE -> client.fail(1231, "42000", message, false);
            }
        }
    }

    private void purge(String rest) {
        if (!PURGED.contains(rest.toLowerCase(Locale.ROOT))) {
            client.fail(
                    ER_PARSE_ERROR,
                    "42000",
                    "You have an error in your SQL syntax; expected PURGE FANFOLD REUSE, near '" + rest + "'",
                    false);
            return;
        }
        purge.run();
        client.succeed();
    }

    private void reload(String rest) {
        if (!rest.isEmpty() && !rest.equals(";")) {
            client.fail(
                    ER_PARSE_ERROR,
                    "42000",
                    "You have an error in your SQL syntax; expected RELOAD FANFOLD, near '" + rest + "'",
                    false);
            return;
        }
        try {
            ProxyAnswer.send(client, table(settings.reload()), flavor);
        } catch (ConfigException e) {
            client.fail(ER_UNKNOWN_ERROR, "HY000", "The settings stay as they are: " + e.getMessage(), false);
        }
    }

    private static StatusTable table(SettingsChange change) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        change.applied().forEach(setting -> rows.add(row(setting, "now")));
        change.kept().forEach(setting -> rows.add(row(setting, "after a restart")));
        return new StatusTable(
                List.of(
                        StatusColumn.text("Variable_name"),
                        StatusColumn.text("Old_value"),
                        StatusColumn.text("New_value"),
                        StatusColumn.text("Takes_effect")),
                0,
                rows);
    }

    private static List<@Nullable Object> row(ChangedSetting setting, String effect) {
        return List.of(setting.name(), setting.before(), setting.after(), effect);
    }
}
