package io.fanfold.execute;

import io.fanfold.execute.ClientConnection.Command;
import io.fanfold.plan.ExplainedTable;
import io.fanfold.plan.LogicalPlan;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.plan.PreparedQueries;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.Refusal.HoldsFor;
import io.fanfold.reason.RefusedException;
import io.fanfold.replica.PrimaryPosition;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.variables.SessionSettings;
import io.fanfold.variables.SessionVariables;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * The preflight queries on the client's own connection, all in one round trip: the session's variables, the table
 * definitions as the session sees them, an EXPLAIN for the cost gate, and the PREPARE of the statement. The PREPARE
 * checks the client's privileges and returns the column definitions. It is sent last because it leaves no warnings.
 */
final class Preflight {
    /** ER_UNKNOWN_SYSTEM_VARIABLE: the workers' server has a variable that the client's server lacks. */
    private static final int UNKNOWN_VARIABLE = 1193;

    private static final byte[] NULL_WORD = {'n', 'u', 'l', 'l'};
    private static final int LOWER_CASE = 0x20;

    private Preflight() {}

    /**
     * The replies.
     *
     * @param settings the session's variables
     * @param tables the reply to each SHOW CREATE TABLE, by its text
     * @param explained the server's plan for the whole statement; empty if EXPLAIN would run parts of it
     * @param further the replies to the further commands
     * @param commands counts of the commands that the session has run so far; empty outside a transaction, or if the
     *     server does not report them
     * @param position what the server had committed; empty if it was not asked
     * @param prepared the statement as the server prepared it
     */
    record Answers(
            SessionSettings settings,
            Map<String, Reply> tables,
            List<ExplainedTable> explained,
            List<Reply> further,
            Optional<CommandCounts> commands,
            Optional<PrimaryPosition> position,
            Reply.Prepared prepared) {

        /** Checks every table of a logical plan, see {@link TableProof}. */
        void proveTables(LogicalStatement logical, ServerFlavor flavor) throws RefusedException {
            for (TableRef table : logical.statement().tables()) {
                Reply reply = tables.get(TableProof.statement(table));
                if (reply == null) {
                    throw new RefusedException(Reason.TABLE_UNREADABLE, table.name() + " was not asked for");
                }
                TableProof.check(table, reply, logical.shadowingAliasesOf(table));
                if (flavor.isMariaDb() && logical.makesJson()) {
                    TableProof.requireNoJsonTexts(table, reply);
                }
            }
        }

        /** Refuses a statement for which PREPARE raises warnings: the client would miss them. */
        void requireNoWarnings(LogicalStatement logical) throws RefusedException {
            // MySQL warns of unknown hints, and Fanfold's own hints are unknown to it
            int expected = logical.statement().hintSpans().isEmpty() ? 0 : 1;
            if (prepared.warnings() > expected) {
                throw new RefusedException(Reason.WARNINGS, "preparing raised " + prepared.warnings());
            }
        }

        /** Whether a table may have a column that is computed on reading, which may then fail or warn. */
        boolean computedColumns() {
            return tables.values().stream().anyMatch(TableProof::mayCompute);
        }
    }

    /**
     * Runs the preflight queries.
     *
     * @param sql the statement's bytes
     * @param preliminary the logical plan under default session settings; it decides which queries are needed
     * @param further additional commands
     * @param transaction whether the statement is inside a transaction
     * @param positioned whether to ask what the server has committed
     */
    static Answers ask(
            QueryExecution query,
            ClientConnection client,
            byte[] sql,
            LogicalStatement preliminary,
            List<Command> further,
            SessionVariables variables,
            boolean transaction,
            boolean positioned,
            ServerFlavor flavor)
            throws RefusedException, InterruptedException {
        Command settingsQuery = query(variables.selectSql());
        if (mentionsNull(sql)) {
            requirePlain(settings(await(query, client, List.of(settingsQuery)).get(0), variables), transaction);
        }
        List<Command> commands = new ArrayList<>();
        commands.add(settingsQuery);
        List<String> definitions = preliminary.statement().tables().stream()
                .map(TableProof::statement)
                .distinct()
                .toList();
        definitions.forEach(definition -> commands.add(query(definition)));
        boolean explains = flavor.isMariaDb() || preliminary.explainedUnrun();
        if (explains) {
            commands.add(new Command.ClientQuery(concat(Explain.statement("", flavor), sql)));
        }
        if (transaction) {
            commands.add(CommandCounts.QUERY);
        }
        if (positioned) {
            commands.add(query(PrimaryPosition.query(flavor)));
        }
        commands.addAll(further);
        commands.add(new Command.Prepare(sql));
        List<Reply> replies = await(query, client, commands);

        // in the order of the commands
        Iterator<Reply> next = replies.iterator();
        SessionSettings settings = settings(next.next(), variables);
        if ("NONE".equals(settings.value("resultset_metadata"))) {
            // the other replies were sent without column definitions, and the answer would be as well
            throw new RefusedException(Reason.SESSION_VARIABLE, "resultset_metadata=NONE");
        }
        Map<String, Reply> tables = new LinkedHashMap<>();
        definitions.forEach(definition -> tables.put(definition, next.next()));
        // check PREPARE first: if it failed, the server reports the same error for the statement itself
        Reply.Prepared prepared = prepared(replies.get(replies.size() - 1));
        List<ExplainedTable> explained = List.of();
        if (explains) {
            Reply.Result explain = rows(next.next(), Reason.PARTITIONS, 0);
            explained = Explain.read(explain.columns(), explain.rows());
        }
        Optional<CommandCounts> counts = transaction ? CommandCounts.of(next.next()) : Optional.empty();
        // without a position, the primary is read
        Optional<PrimaryPosition> position = positioned ? PrimaryPosition.of(next.next()) : Optional.empty();
        List<Reply> beside = new ArrayList<>();
        further.forEach(command -> beside.add(next.next()));
        return new Answers(settings, tables, explained, beside, counts, position, prepared);
    }

    private static Reply.Prepared prepared(Reply reply) throws RefusedException {
        if (reply instanceof Reply.Failed failed) {
            throw new RefusedException(Reason.PREPARE_FAILED, failed.errno() + ": " + failed.message());
        }
        if (!(reply instanceof Reply.Prepared prepared)
                || prepared.parameters() != 0
                || prepared.columnDefinitions().isEmpty()) {
            throw new RefusedException(Reason.PREPARE_FAILED, "no result set without parameters");
        }
        return prepared;
    }

    /**
     * Whether the statement may contain IS NULL. With sql_auto_is_null=1 a server takes the first {@code id IS NULL}
     * after an INSERT for the id of the new row. PREPARE and EXPLAIN count as the first (MariaDB 10.11, AutoIsNullIT).
     * So the session's settings are checked before these are sent.
     */
    private static boolean mentionsNull(byte[] sql) {
        for (int i = 0; i + NULL_WORD.length <= sql.length; i++) {
            int same = 0;
            while (same < NULL_WORD.length && (sql[i + same] | LOWER_CASE) == NULL_WORD[same]) {
                same++;
            }
            if (same == NULL_WORD.length) {
                return true;
            }
        }
        return false;
    }

    private static SessionSettings settings(Reply reply, SessionVariables variables) throws RefusedException {
        if (reply instanceof Reply.Failed failed && failed.errno() == UNKNOWN_VARIABLE) {
            throw new RefusedException(Reason.OTHER_SERVER, failed.message());
        }
        try {
            return variables.read(rows(reply, Reason.SESSION_VARIABLE, 1).rows().get(0));
        } catch (ProtocolException e) {
            throw new RefusedException(Reason.SESSION_VARIABLE, String.valueOf(e.getMessage()));
        }
    }

    /** Requires that a transaction is open, or that none is. The status flags of a no-op statement show it. */
    static void requireTransaction(QueryExecution query, ClientConnection client, boolean open)
            throws RefusedException, InterruptedException {
        Reply reply = await(query, client, List.of(query("DO 0"))).get(0);
        if (!(reply instanceof Reply.Completed) || client.inTransaction() != open) {
            throw new RefusedException(
                    Reason.IN_TRANSACTION, "a statement that failed has " + (open ? "ended it" : "begun one"));
        }
    }

    /**
     * Requires a session in which statements may be split.
     *
     * @param transaction whether the statement is inside a transaction
     */
    static void requirePlain(SessionSettings settings, boolean transaction) throws RefusedException {
        Optional<Refusal> refusal = settings.unsplittable(transaction);
        if (refusal.isPresent()) {
            throw new RefusedException(refusal.get());
        }
    }

    /**
     * Asks for the server's plan of each block inside a statement. A PREPARE is sent last here too: EXPLAIN leaves
     * notes that the client would see as warnings of its statement.
     *
     * @param charset the session's character set
     */
    static List<List<ExplainedTable>> explain(
            QueryExecution query,
            ClientConnection client,
            List<LogicalPlan> blocks,
            Charset charset,
            ServerFlavor flavor)
            throws RefusedException, InterruptedException {
        List<Command> commands = new ArrayList<>();
        for (LogicalPlan block : blocks) {
            commands.add(new Command.ClientQuery(
                    Explain.statement(block.text(), flavor).getBytes(charset)));
        }
        commands.add(new Command.Prepare("SELECT 1".getBytes(charset)));
        List<List<ExplainedTable>> plans = new ArrayList<>();
        for (Reply reply : await(query, client, commands).subList(0, blocks.size())) {
            // the block may read tables of the enclosing statement
            if (!(reply instanceof Reply.Result explained)) {
                throw dependent(reply, "no rows");
            }
            plans.add(Explain.read(explained.columns(), explained.rows()));
        }
        return plans;
    }

    /** Checks that queries can be prepared, see {@link PreparedQueries#provingUncorrelated}. */
    static void requirePrepared(QueryExecution query, ClientConnection client, List<String> queries, Charset charset)
            throws RefusedException, InterruptedException {
        List<Command> commands = new ArrayList<>();
        queries.forEach(text -> commands.add(new Command.Prepare(text.getBytes(charset))));
        for (Reply reply : queries.isEmpty() ? List.<Reply>of() : await(query, client, commands)) {
            if (!(reply instanceof Reply.Prepared)) {
                throw dependent(reply, "not prepared");
            }
        }
    }

    /** Returns the refusal of a query that the server does not run by itself. */
    private static RefusedException dependent(Reply reply, String otherwise) {
        return new RefusedException(
                Reason.SUBQUERY, reply instanceof Reply.Failed failed ? failed.message() : otherwise, HoldsFor.MOMENT);
    }

    static Command query(String ascii) {
        return new Command.ClientQuery(ascii.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] concat(String head, byte[] tail) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(head.length() + tail.length);
        bytes.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
        bytes.writeBytes(tail);
        return bytes.toByteArray();
    }

    /**
     * Waits for the replies until the query is cancelled: the server may be unable to answer, for example because of a
     * lock. A KILL QUERY that hits one of these commands ends the client's statement.
     */
    static List<Reply> await(QueryExecution query, ClientConnection client, List<Command> commands)
            throws RefusedException, InterruptedException {
        CompletableFuture<List<Reply>> asked = client.ask(commands);
        query.onCancel(() -> asked.completeExceptionally(
                query.cancelled() == QueryExecution.Cancel.CLIENT_GONE
                        ? new ClientConnection.ClientGoneException("the client left while the server was asked")
                        : new CancellationException("the statement was cancelled")));
        return unlessKilled(get(asked));
    }

    /** Waits for the replies even if the query is cancelled. */
    static List<Reply> await(ClientConnection client, List<Command> commands)
            throws RefusedException, InterruptedException {
        return unlessKilled(awaitAll(client, commands));
    }

    /** Returns the replies, unless one of them failed because of a KILL QUERY. */
    static List<Reply> unlessKilled(List<Reply> replies) throws RefusedException {
        for (Reply reply : replies) {
            if (reply instanceof Reply.Failed failed && Interruption.isKill(failed.errno())) {
                throw new KilledException(failed.errno() + ": " + failed.message());
            }
        }
        return replies;
    }

    /**
     * Waits for the replies, including errors. If a connection has ended, the session handles that, and passing through
     * reports it.
     */
    static List<Reply> awaitAll(ClientConnection client, List<Command> commands)
            throws RefusedException, InterruptedException {
        return get(client.ask(commands));
    }

    /** Waits for something that was asked on the client's connection. */
    static <T> T get(CompletableFuture<T> asked) throws RefusedException, InterruptedException {
        try {
            return asked.get();
        } catch (CancellationException e) {
            throw FailureMap.cancelled();
        } catch (ExecutionException e) {
            throw new RefusedException(Reason.CLIENT_LOST, String.valueOf(e.getCause()));
        }
    }

    private static Reply.Result rows(Reply reply, Reason reason, int atLeast) throws RefusedException {
        if (reply instanceof Reply.Result rows && rows.rows().size() >= atLeast) {
            return rows;
        }
        throw new RefusedException(reason, reply instanceof Reply.Failed failed ? failed.message() : "no rows");
    }
}
