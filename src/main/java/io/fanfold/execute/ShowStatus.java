package io.fanfold.execute;

import io.fanfold.execute.ClientConnection.Command;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.ProxyStatement;
import io.fanfold.sql.ShowFanfold;
import io.fanfold.status.LikePattern;
import io.fanfold.status.StatusSource;
import io.fanfold.status.StatusTable;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Answers {@code SHOW FANFOLD}. The server decides who may look: an account with PROCESS sees everything, others see
 * their own statements. On a thread of {@link ProxyStatements}.
 *
 * @param statuses by name in lower case, in the order of the documentation
 */
record ShowStatus(
        ClientConnection client, ProxyStatement.Show show, Map<String, ShownStatus> statuses, ServerFlavor flavor) {
    /**
     * A status with the right that it takes.
     *
     * @param own whether it has rows of one user, which this user may see without PROCESS
     */
    record ShownStatus(StatusSource source, boolean own) {}

    /** Both servers refuse this table to accounts without PROCESS, and keep it in memory. */
    private static final Command PROCESS = new Command.ClientQuery(
            "SELECT COUNT(*) FROM information_schema.INNODB_CMP".getBytes(StandardCharsets.US_ASCII));

    /** ER_SPECIFIC_ACCESS_DENIED_ERROR. */
    private static final int ACCESS_DENIED = 1227;

    /** ER_PARSE_ERROR. */
    private static final int PARSE_ERROR = 1064;

    void run() {
        try {
            ShowFanfold asked = ShowFanfold.parse(show.rest());
            ShownStatus status = statuses.get(asked.name());
            if (status == null) {
                client.fail(
                        PARSE_ERROR,
                        "42000",
                        "SHOW FANFOLD has no '" + asked.name() + "' (expected: "
                                + String.join(", ", statuses.keySet()).toUpperCase(Locale.ROOT) + ")",
                        false);
                return;
            }
            boolean all = mayProcess();
            if (!all && !status.own()) {
                client.fail(
                        ACCESS_DENIED,
                        "42000",
                        "Access denied; you need (at least one of) the PROCESS privilege(s) for this operation",
                        false);
                return;
            }
            StatusTable table = status.source().read(new StatusSource.Viewer(client.user(), all));
            StatusTable chosen =
                    asked.like().map(LikePattern::new).map(table::like).orElse(table);
            ProxyAnswer.send(client, chosen.limit(asked.offset(), asked.count()), flavor);
        } catch (ShowFanfold.SyntaxException e) {
            client.fail(PARSE_ERROR, "42000", String.valueOf(e.getMessage()), false);
        } catch (RefusedException e) {
            client.passThrough();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            client.passThrough();
        }
    }

    private boolean mayProcess() throws RefusedException, InterruptedException {
        return Preflight.awaitAll(client, List.of(PROCESS)).get(0) instanceof Reply.Result;
    }
}
