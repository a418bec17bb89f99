package io.fanfold.execute;

import io.fanfold.backend.SessionSettings;
import io.fanfold.execute.ClientPort.Command;
import io.fanfold.execute.ClientPort.Reply;
import io.fanfold.metrics.Reason;
import io.fanfold.protocol.BinaryRow;
import io.fanfold.protocol.BoundValue;
import io.fanfold.protocol.ProtocolException;
import io.fanfold.protocol.ServerPacket;
import io.fanfold.row.Column;
import io.fanfold.sql.BoundText;
import io.fanfold.sql.SessionCharset;
import io.fanfold.sql.SqlDialect;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * An execution of a prepared statement, as the text that it is with literals in the place of its parameters. The server
 * is asked whether that text has the answer's columns of the prepared one, and what columns parameters are compared
 * with. One thread at a time.
 */
final class BoundExecution {
    /** What MySQL says of a statement that ran for longer than max_execution_time. */
    private static final int LATE = 3024;

    private final StatementOffer.Execution execution;
    private final List<ParameterLiteral> literals;
    private final BoundText text;
    private final Charset charset;
    private final boolean mariaDb;

    /** Whether the server has the statement prepared for values of these types. */
    private boolean expected = true;

    private BoundExecution(
            StatementOffer.Execution execution,
            List<ParameterLiteral> literals,
            BoundText text,
            Charset charset,
            boolean mariaDb) {
        this.execution = execution;
        this.literals = literals;
        this.text = text;
        this.charset = charset;
        this.mariaDb = mariaDb;
    }

    /** Binds the values as an ordinary session would read the text. */
    static BoundExecution of(StatementOffer.Execution execution, boolean mariaDb) throws Abandoned {
        byte[] prepared = execution.statement().sql();
        Charset charset =
                SessionCharset.decode(prepared, StandardCharsets.UTF_8).isPresent()
                        ? StandardCharsets.UTF_8
                        : StandardCharsets.ISO_8859_1;
        List<ParameterLiteral> literals = new ArrayList<>();
        try {
            for (BoundValue value : execution.command().read()) {
                literals.add(ParameterLiteral.of(value, charset)
                        .orElseThrow(() -> new Abandoned(Reason.PARAMETER, "the value of a parameter")));
            }
        } catch (ProtocolException e) {
            throw new Abandoned(Reason.PREPARED_STATE, String.valueOf(e.getMessage()));
        }
        BoundText text = bound(prepared, new SqlDialect(mariaDb, false, false, charset), literals);
        for (int i = 0; i < literals.size(); i++) {
            if (text.places().get(i) instanceof BoundText.Place.Limit
                    && !literals.get(i).counts()) {
                throw new Abandoned(Reason.PARAMETER, "parameter " + (i + 1) + " is no number of rows");
            }
        }
        return new BoundExecution(execution, literals, text, charset, mariaDb);
    }

    /** Refuses parameters in places where nothing is known of them, whatever their values. */
    void requirePlaces() throws Abandoned {
        if (text.places().stream().anyMatch(BoundText.Place.Elsewhere.class::isInstance)) {
            throw new Abandoned(Reason.PARAMETER, "the place of a parameter");
        }
    }

    private static BoundText bound(byte[] prepared, SqlDialect dialect, List<ParameterLiteral> literals)
            throws Abandoned {
        Optional<String> decoded = SessionCharset.decode(prepared, dialect.charset());
        // without parameters it is read as any other text is, and refused for its own reasons
        Optional<BoundText> text = literals.isEmpty()
                ? decoded.map(sql -> new BoundText(sql, List.of(), List.of()))
                : decoded.flatMap(sql -> BoundText.of(
                        sql,
                        dialect,
                        literals.stream().map(ParameterLiteral::sql).toList()));
        return text.orElseThrow(() -> new Abandoned(Reason.PARAMETER, "a text that is not read"));
    }

    /** The text with the values in it, in the session's character set. */
    byte[] sql() {
        return text.sql().getBytes(charset);
    }

    /** What is to be prepared beside the text with the values. */
    List<Command> questions() {
        List<Command> questions = new ArrayList<>();
        questions.add(new Command.Prepare(execution.statement().sql()));
        text.probes().forEach(probe -> questions.add(new Command.Prepare(probe.getBytes(charset))));
        return questions;
    }

    /**
     * Checks that the text with the values is what the server would execute. Its tables have been proven.
     *
     * @param dialect as the session reads texts
     * @param replies to {@link #questions}
     * @param whole the server's own reading of the text with the values
     */
    void require(SessionSettings settings, SqlDialect dialect, List<Reply> replies, Reply.Prepared whole)
            throws Abandoned {
        if (!execution.statement().means(settings, execution.unchanged())) {
            throw new Abandoned(Reason.PREPARED_STATE, "the session may have changed since the statement was prepared");
        }
        if (!bound(execution.statement().sql(), dialect, literals).equals(text) || !reads(settings, dialect)) {
            throw new Abandoned(Reason.PARAMETER, "the session reads the text in another way");
        }
        Reply.Prepared prepared = prepared(replies.get(0));
        if (prepared.parameters() != literals.size()
                || !same(prepared.columnDefinitions(), whole.columnDefinitions())) {
            throw new Abandoned(Reason.PARAMETER, "the columns depend on a parameter");
        }
        for (int i = 0; i < literals.size(); i++) {
            requireProven(i, replies);
        }
    }

    /** A literal beside a column, or in a place where it does not matter what it is beside. */
    private void requireProven(int parameter, List<Reply> replies) throws Abandoned {
        BoundText.Place place = text.places().get(parameter);
        if (!(place instanceof BoundText.Place.Compared compared)) {
            expected &= place instanceof BoundText.Place.Limit;
            return;
        }
        ParameterLiteral literal = literals.get(parameter);
        List<Column> columns = prepared(replies.get(1 + compared.probe())).columns();
        Column column = compared.column() < columns.size() ? columns.get(compared.column()) : null;
        if (column == null
                || !hasCharacters(column, compared, replies)
                || !literal.comparableWith(column, compared.pattern())) {
            throw new Abandoned(Reason.PARAMETER, "parameter " + (parameter + 1) + " beside what it is compared with");
        }
        expected &= literal.expectedBeside(column);
    }

    /** Whether the column's character set has those of the literal, where that is to be known. */
    private static boolean hasCharacters(Column column, BoundText.Place.Compared compared, List<Reply> replies) {
        return compared.unicode() < 0
                || column.binaryString()
                || replies.get(1 + compared.unicode()) instanceof Reply.Prepared;
    }

    /** Whether NULL is among the values. */
    boolean bindsNull() {
        return literals.stream().anyMatch(literal -> literal.value() instanceof BoundValue.Nothing);
    }

    /** Whether the session reads the literals as what was bound. */
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
     * Lets MySQL know of what types the values are: it prepares a statement anew for types that it did not expect, and later
     * executions of it, which it may get to see, are compared by that. So it gets this execution too, for a millisecond.
     */
    void announce(ClientPort port, SessionSettings settings) throws Abandoned, InterruptedException {
        if (mariaDb
                || expected
                || execution.statement().wasExecutedWith(execution.command().types())) {
            return;
        }
        Command back = ClientQuestions.query("SET SESSION max_execution_time = " + settings.maxExecutionTime());
        List<Reply> replies = ClientQuestions.awaitAll(
                port,
                List.of(
                        ClientQuestions.query("SET SESSION max_execution_time = 1"),
                        new Command.Execute(execution.command().withTypes()),
                        back));
        // a KILL QUERY may have met it, though it sets the variable before it fails
        boolean restored = replies.get(2) instanceof Reply.Ok
                || ClientQuestions.awaitAll(port, List.of(back)).get(0) instanceof Reply.Ok;
        if (!restored) {
            throw new IllegalStateException("max_execution_time was not set back: " + replies.get(2));
        }
        Reply executed = ClientQuestions.unlessKilled(replies).get(1);
        if (executed instanceof Reply.Failed failed && failed.errno() != LATE) {
            // it may not have come so far that it was prepared for the types
            throw new Abandoned(Reason.PREPARED_STATE, failed.errno() + ": " + failed.message());
        }
        execution.statement().executedWith(execution.command().types());
    }

    private static Reply.Prepared prepared(Reply reply) throws Abandoned {
        if (reply instanceof Reply.Prepared prepared) {
            return prepared;
        }
        throw new Abandoned(
                Reason.PARAMETER, reply instanceof Reply.Failed failed ? failed.message() : "not prepared again");
    }

    private static boolean same(List<byte[]> some, List<byte[]> others) {
        return some.size() == others.size() && Arrays.deepEquals(some.toArray(), others.toArray());
    }

    private static boolean sameTypes(ClientPort.Reply.Prepared prepared, List<byte[]> definitions) {
        for (int i = 0; i < definitions.size(); i++) {
            if (!ServerPacket.sameType(prepared.columnDefinitions().get(i), definitions.get(i))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Refuses columns whose values are not had exactly from text, and definitions of other types than the client was told of: servers
     * tell of that by their status. Definitions with other lengths or flags are sent with the answer.
     *
     * @param prepared what the server announces for the statement
     * @param definitions those that the answer would have
     */
    void requireAnswer(ClientPort.Reply.Prepared prepared, List<byte[]> definitions) throws Abandoned {
        List<Column> columns = prepared.columns();
        boolean told = execution.statement().announced(definitions)
                || execution.statement().announced(prepared.columnDefinitions()) && sameTypes(prepared, definitions);
        if (!told) {
            throw new Abandoned(Reason.PREPARED_STATE, "the definitions are not those that the client was told");
        }
        Optional<Column> obstacle = BinaryRow.obstacle(columns);
        if (obstacle.isPresent()) {
            throw new Abandoned(
                    Reason.BINARY_FORM,
                    obstacle.get().name() + " is a " + obstacle.get().type());
        }
    }
}
