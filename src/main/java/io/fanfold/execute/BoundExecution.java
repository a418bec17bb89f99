package io.fanfold.execute;

import io.fanfold.execute.ClientConnection.Command;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Column;
import io.fanfold.sql.BoundText;
import io.fanfold.sql.SessionCharset;
import io.fanfold.sql.SqlDialect;
import io.fanfold.variables.SessionSettings;
import io.fanfold.wire.BinaryRow;
import io.fanfold.wire.BoundValue;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerFlavor;
import io.fanfold.wire.ServerPacket;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * One execution of a prepared statement, as a text with literals in place of its parameters. The server checks that
 * this text returns the same columns as the prepared statement, and which columns the parameters are compared with.
 * Used by one thread at a time.
 */
final class BoundExecution {
    /** MySQL's ER_QUERY_TIMEOUT: the statement exceeded max_execution_time. */
    private static final int LATE = 3024;

    private final FanOutRequest.Execution execution;
    private final List<ParameterLiteral> literals;
    private final BoundText text;
    private final Charset charset;
    private final ServerFlavor flavor;

    /** Whether the server has prepared the statement for values of these types. */
    private boolean expected = true;

    private BoundExecution(
            FanOutRequest.Execution execution,
            List<ParameterLiteral> literals,
            BoundText text,
            Charset charset,
            ServerFlavor flavor) {
        this.execution = execution;
        this.literals = literals;
        this.text = text;
        this.charset = charset;
        this.flavor = flavor;
    }

    /** Binds the values under default session settings. */
    static BoundExecution of(FanOutRequest.Execution execution, ServerFlavor flavor) throws RefusedException {
        byte[] prepared = execution.statement().sql();
        Charset charset =
                SessionCharset.decode(prepared, StandardCharsets.UTF_8).isPresent()
                        ? StandardCharsets.UTF_8
                        : StandardCharsets.ISO_8859_1;
        List<ParameterLiteral> literals = new ArrayList<>();
        try {
            for (BoundValue value : execution.command().read()) {
                literals.add(ParameterLiteral.of(value, charset)
                        .orElseThrow(() -> new RefusedException(Reason.PARAMETER, "the value of a parameter")));
            }
        } catch (ProtocolException e) {
            throw new RefusedException(Reason.PREPARED_STATE, String.valueOf(e.getMessage()));
        }
        BoundText text = bound(prepared, new SqlDialect(flavor, false, false, charset), literals);
        for (int i = 0; i < literals.size(); i++) {
            if (text.places().get(i) instanceof BoundText.ParameterPlace.LimitParameter
                    && !literals.get(i).counts()) {
                throw new RefusedException(Reason.PARAMETER, "parameter " + (i + 1) + " is no number of rows");
            }
        }
        return new BoundExecution(execution, literals, text, charset, flavor);
    }

    /** Refuses parameters in unknown places, whatever their values. */
    void requirePlaces() throws RefusedException {
        if (text.places().stream().anyMatch(BoundText.ParameterPlace.Elsewhere.class::isInstance)) {
            throw new RefusedException(Reason.PARAMETER, "the place of a parameter");
        }
    }

    private static BoundText bound(byte[] prepared, SqlDialect dialect, List<ParameterLiteral> literals)
            throws RefusedException {
        Optional<String> decoded = SessionCharset.decode(prepared, dialect.charset());
        // a text without parameters is read like any other, and refused for its own reasons
        Optional<BoundText> text = literals.isEmpty()
                ? decoded.map(sql -> new BoundText(sql, List.of(), List.of()))
                : decoded.flatMap(sql -> BoundText.of(
                        sql,
                        dialect,
                        literals.stream().map(ParameterLiteral::sql).toList()));
        return text.orElseThrow(() -> new RefusedException(Reason.PARAMETER, "a text that is not read"));
    }

    /** The text with the values in it, in the session's character set. */
    byte[] sql() {
        return text.sql().getBytes(charset);
    }

    /** The statements to prepare in addition to the text with the values. */
    List<Command> queries() {
        List<Command> queries = new ArrayList<>();
        queries.add(new Command.Prepare(execution.statement().sql()));
        text.probes().forEach(probe -> queries.add(new Command.Prepare(probe.getBytes(charset))));
        return queries;
    }

    /**
     * Checks that the text with the values is equivalent to the execution. The tables have already been proven.
     *
     * @param dialect the dialect in which the session reads texts
     * @param replies the replies to {@link #queries}
     * @param whole the server's reply to preparing the text with the values
     */
    void require(SessionSettings settings, SqlDialect dialect, List<Reply> replies, Reply.Prepared whole)
            throws RefusedException {
        execution.statement().markHarmless();
        if (!execution.statement().means(settings, execution.unchanged())) {
            throw new RefusedException(
                    Reason.PREPARED_STATE, "the session may have changed since the statement was prepared");
        }
        if (!bound(execution.statement().sql(), dialect, literals).equals(text) || !reads(settings, dialect)) {
            throw new RefusedException(Reason.PARAMETER, "the session reads the text in another way");
        }
        Reply.Prepared prepared = prepared(replies.get(0));
        if (prepared.parameters() != literals.size()
                || !same(prepared.columnDefinitions(), whole.columnDefinitions())) {
            throw new RefusedException(Reason.PARAMETER, "the columns depend on a parameter");
        }
        for (int i = 0; i < literals.size(); i++) {
            requireProven(i, replies);
        }
    }

    /** Requires that the literal is compared with a suitable column, or that its place does not depend on types. */
    private void requireProven(int parameter, List<Reply> replies) throws RefusedException {
        BoundText.ParameterPlace place = text.places().get(parameter);
        if (!(place instanceof BoundText.ParameterPlace.ComparedParameter compared)) {
            expected &= place instanceof BoundText.ParameterPlace.LimitParameter;
            return;
        }
        ParameterLiteral literal = literals.get(parameter);
        List<Column> columns = prepared(replies.get(1 + compared.probe())).columns();
        Column column = compared.column() < columns.size() ? columns.get(compared.column()) : null;
        if (column == null
                || !hasCharacters(column, compared, replies)
                || !literal.comparableWith(column, compared.pattern())) {
            throw new RefusedException(
                    Reason.PARAMETER, "parameter " + (parameter + 1) + " beside what it is compared with");
        }
        expected &= literal.expectedBeside(column);
    }

    /** Whether the column's character set can represent the literal, if that matters. */
    private static boolean hasCharacters(
            Column column, BoundText.ParameterPlace.ComparedParameter compared, List<Reply> replies) {
        return compared.unicode() < 0
                || column.binaryString()
                || replies.get(1 + compared.unicode()) instanceof Reply.Prepared;
    }

    /** Whether NULL is among the values. */
    boolean bindsNull() {
        return literals.stream().anyMatch(literal -> literal.value() instanceof BoundValue.NullValue);
    }

    /** Whether the session reads the literals as the bound values. */
    private boolean reads(SessionSettings settings, SqlDialect dialect) {
        boolean escaped = literals.stream().anyMatch(ParameterLiteral::escaped);
        boolean ascii =
                literals.stream().allMatch(literal -> literal.sql().chars().allMatch(unit -> unit < 0x80));
        boolean unicode = charset.equals(StandardCharsets.UTF_8)
                && dialect.charset().equals(charset)
                && settings.connectionReadsAsClient();
        return (!escaped || !dialect.noBackslashEscapes()) && (ascii || unicode);
    }

    /**
     * Announces the types of the values to MySQL. It prepares a statement again for unexpected types, and that decides
     * comparisons of later executions, which may be passed through. So MySQL also gets this execution, limited to one
     * millisecond.
     */
    void announce(ClientConnection client, SessionSettings settings) throws RefusedException, InterruptedException {
        if (flavor.isMariaDb()
                || expected
                || execution.statement().wasExecutedWith(execution.command().types())) {
            return;
        }
        Command back = Preflight.query("SET SESSION max_execution_time = " + settings.maxExecutionTime());
        List<Reply> replies = Preflight.awaitAll(
                client,
                List.of(
                        Preflight.query("SET SESSION max_execution_time = 1"),
                        new Command.Execute(execution.command().withTypes()),
                        back));
        // a KILL QUERY may have hit it, although it sets the variable before it fails
        boolean restored = replies.get(2) instanceof Reply.Completed
                || Preflight.awaitAll(client, List.of(back)).get(0) instanceof Reply.Completed;
        if (!restored) {
            throw new IllegalStateException("max_execution_time was not set back: " + replies.get(2));
        }
        Reply executed = Preflight.unlessKilled(replies).get(1);
        if (executed instanceof Reply.Failed failed && failed.errno() != LATE) {
            // it may have failed before it was prepared for the types
            throw new RefusedException(Reason.PREPARED_STATE, failed.errno() + ": " + failed.message());
        }
        execution.statement().executedWith(execution.command().types());
    }

    private static Reply.Prepared prepared(Reply reply) throws RefusedException {
        if (reply instanceof Reply.Prepared prepared) {
            return prepared;
        }
        throw new RefusedException(
                Reason.PARAMETER, reply instanceof Reply.Failed failed ? failed.message() : "not prepared again");
    }

    private static boolean same(List<byte[]> some, List<byte[]> others) {
        return some.size() == others.size() && Arrays.deepEquals(some.toArray(), others.toArray());
    }

    private static boolean sameTypes(Reply.Prepared prepared, List<byte[]> definitions) {
        for (int i = 0; i < definitions.size(); i++) {
            if (!ServerPacket.sameType(prepared.columnDefinitions().get(i), definitions.get(i))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Refuses columns whose values cannot be converted exactly from text. Also refuses definitions of other types than
     * the client was sent: a server signals such a change by its status flags. Definitions with other lengths or flags
     * are sent with the answer.
     *
     * @param prepared the server's reply to preparing the statement
     * @param definitions the column definitions of the answer
     */
    void requireAnswer(Reply.Prepared prepared, List<byte[]> definitions) throws RefusedException {
        List<Column> columns = prepared.columns();
        boolean known = execution.statement().announced(definitions)
                || execution.statement().announced(prepared.columnDefinitions()) && sameTypes(prepared, definitions);
        if (!known) {
            throw new RefusedException(Reason.PREPARED_STATE, "the definitions are not those that the client has");
        }
        Optional<Column> obstacle = BinaryRow.obstacle(columns);
        if (obstacle.isPresent()) {
            throw new RefusedException(
                    Reason.BINARY_FORM,
                    obstacle.get().name() + " is a " + obstacle.get().type());
        }
    }
}
