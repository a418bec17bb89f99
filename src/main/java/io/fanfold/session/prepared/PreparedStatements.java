package io.fanfold.session.prepared;

import io.fanfold.execute.FanOutRequest.Execution;
import io.fanfold.session.channel.QueryText;
import io.fanfold.wire.Capability;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.CommandExchange;
import io.fanfold.wire.ExecuteCommand;
import io.fanfold.wire.PayloadReader;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ServerFlavor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The prepared statements of a session whose executions may be worth splitting. Their number and total length are
 * limited; all others are only relayed. Event loop only.
 *
 * <p>Parameter types arrive with one execution and hold for later ones. If the proxy answered that execution, the
 * server does not know them. Then they are added to the next execution that is sent to the server.
 */
public final class PreparedStatements {
    private static final int MOST = 256;
    private static final int MOST_BYTES = PendingPrepares.MOST_BYTES;

    /** Texts that do not change the settings that splitting depends on. */
    private static final Set<String> HARMLESS = Set.of(
            "begin", "commit", "rollback", "start transaction", "set autocommit=0", "set autocommit=1", "select 1");

    /**
     * What to do with an execution.
     *
     * @param text the statement's text
     * @param execution the execution to be offered; empty if it is passed through
     * @param incomplete whether the server lacks the parameter types, or long data
     * @param statement the statement's id
     * @param types the types of its parameters; empty if it was not understood
     */
    public record ExecutionChoice(
            byte[] text, Optional<Execution> execution, boolean incomplete, long statement, Optional<byte[]> types) {}

    private final long capabilities;
    private final ServerFlavor flavor;

    /** By id. Before the first, it is the immutable empty map: an idle client needs none of its own. */
    private Map<Long, KnownStatement> statements = Map.of();

    private @Nullable PendingPrepares preparations; // null before the first
    private int bytes;

    /** Counts the commands that may have changed the session's settings. */
    private long epoch;

    private final LongData kept;

    /** @param keptBytes the largest size of the buffered long data */
    public PreparedStatements(long capabilities, ServerFlavor flavor, int keptBytes) {
        this.capabilities = capabilities;
        this.flavor = flavor;
        this.kept = new LongData(keptBytes);
    }

    /** Whether an execution must be looked at whole, however long it is. */
    public boolean owes(long id) {
        KnownStatement prepared = statements.get(id);
        return prepared != null && (prepared.incomplete() || kept.keeps(id));
    }

    /** Whether long data for a statement may be buffered: the server has none of it yet. */
    public boolean keepsLongData(long id) {
        KnownStatement prepared = statements.get(id);
        return prepared != null && !prepared.longData && !prepared.onlyRelayed;
    }

    /**
     * Whether this long data may be buffered for a later execution; otherwise it must be sent to the server.
     *
     * @param payload the whole command
     */
    public boolean mayKeep(byte[] payload) {
        return keepsLongData(id(payload)) && kept.fits(payload);
    }

    /** Buffers long data, see {@link #mayKeep}. */
    public void keep(byte[] payload) {
        kept.keep(id(payload), payload);
    }

    /** Whether long data of a statement is buffered. */
    public boolean keeps(long id) {
        return kept.keeps(id);
    }

    /**
     * Removes and returns the commands with the buffered long data of a statement, which are sent to the server now.
     */
    public List<byte[]> takeKept(long id) {
        return kept.remove(id);
    }

    /** An execution was answered by the proxy: its long data is used up, and the server does not have its types. */
    public void split(byte[] payload) {
        kept.remove(id(payload));
        find(payload).ifPresent(prepared -> prepared.split = true);
    }

    /** Whether the executions of a statement are considered. */
    public boolean remembers(long id) {
        return statements.containsKey(id);
    }

    /**
     * Returns the statement that an id means. After proxy commands, the server's last prepared statement may not be the
     * client's.
     */
    public long resolved(long id) {
        boolean last = flavor.isMariaDb() && id == PendingPrepares.LAST;
        return last && preparations != null && preparations.ended() ? preparations.last() : id;
    }

    /**
     * Whether a command executes a statement that may be worth splitting and whose preparation is not answered yet.
     * Clients of MariaDB send both in one go.
     *
     * @param payload its first bytes
     */
    public boolean awaits(byte[] payload) {
        return flavor.isMariaDb()
                && preparations != null
                && preparations.awaitsNewest()
                && id(payload) == PendingPrepares.LAST;
    }

    /**
     * Examines an execution, without changing anything.
     *
     * @param payload the whole command
     * @return for {@link #examined} when the execution is sent or offered; empty if its statement is unknown
     */
    public Optional<ExecutionChoice> look(byte[] payload) {
        long id = id(payload);
        KnownStatement prepared = statements.get(id);
        if (prepared == null) {
            return Optional.empty();
        }
        ExecuteCommand command;
        try {
            command = ExecuteCommand.decode(payload, prepared.parameters, capabilities, prepared.types);
        } catch (ProtocolException e) {
            return Optional.of(
                    new ExecutionChoice(prepared.text.sql(), Optional.empty(), kept.keeps(id), id, Optional.empty()));
        }
        Optional<ExecuteCommand> complete = complete(command, id);
        boolean mixed = !prepared.kinds.sameAsBefore(command.types()) && flavor.isMySql();
        boolean relayed = command.cursor() || prepared.cursor || prepared.longData || prepared.onlyRelayed || mixed;
        Optional<Execution> execution = complete.filter(known -> !relayed)
                .map(known -> new Execution(prepared.text, known, epoch - prepared.executions == prepared.epoch));
        boolean owed = prepared.incomplete() && !command.bringsTypes() || kept.keeps(id);
        return Optional.of(new ExecutionChoice(prepared.text.sql(), execution, owed, id, Optional.of(command.types())));
    }

    /** An execution that was looked at is sent or offered: its types hold for later ones. */
    public void examined(ExecutionChoice execution) {
        KnownStatement prepared = statements.get(execution.statement());
        if (prepared != null && execution.types().isPresent()) {
            prepared.types = execution.types().get();
            prepared.kinds.add(prepared.types);
        }
    }

    /** Returns an execution with its buffered long data; empty if they do not match. */
    private Optional<ExecuteCommand> complete(ExecuteCommand command, long id) {
        try {
            return Optional.of(command.withLongData(kept.values(id)));
        } catch (ProtocolException e) {
            return Optional.empty();
        }
    }

    /**
     * Whether the server would read an execution with other types than the client's. This is so if the server does not
     * know the current types, the execution brings none, and they cannot be added because it is too long or not
     * understood.
     *
     * @param payload the command, or its beginning
     */
    public boolean wouldBeMisread(byte[] payload, boolean whole) {
        KnownStatement prepared = statements.get(id(payload));
        if (prepared == null || !prepared.incomplete()) {
            return false;
        }
        try {
            if (ExecuteCommand.bringsTypes(payload, prepared.parameters, capabilities)) {
                return false;
            }
            ExecuteCommand.decode(payload, prepared.parameters, capabilities, prepared.types);
            return !whole;
        } catch (ProtocolException e) {
            return true;
        }
    }

    /** Returns an execution as the server must receive it: with the types that the server lacks. */
    public byte[] outgoing(byte[] payload) {
        KnownStatement prepared = statements.get(id(payload));
        if (prepared == null || !prepared.incomplete()) {
            return payload;
        }
        try {
            return ExecuteCommand.decode(payload, prepared.parameters, capabilities, prepared.types)
                    .withTypes();
        } catch (ProtocolException e) {
            return payload;
        }
    }

    /**
     * A command is sent to the server.
     *
     * @param payload the command's payload, whole or its beginning
     * @param worthRemembering whether a statement to be prepared may be worth splitting
     * @return follows the response
     */
    public CommandExchange.Observer sent(byte[] payload, int code, boolean worthRemembering) {
        switch (code) {
            case CommandCode.STMT_PREPARE -> {
                byte[] text = worthRemembering ? Arrays.copyOfRange(payload, 1, payload.length) : null;
                return preparations().sent(text, epoch);
            }
            case CommandCode.STMT_EXECUTE -> {
                return executed(payload);
            }
            case CommandCode.STMT_SEND_LONG_DATA -> {
                find(payload).ifPresent(prepared -> prepared.longData = true);
                forgetPending(payload);
            }
            case CommandCode.STMT_RESET -> {
                kept.remove(id(payload));
                find(payload).ifPresent(prepared -> {
                    prepared.longData = false;
                    prepared.cursor = false;
                });
            }
            case CommandCode.STMT_CLOSE -> closed(id(payload));
            case CommandCode.RESET_CONNECTION, CommandCode.CHANGE_USER -> {
                statements = Map.of();
                kept.clear();
                bytes = 0;
                if (preparations != null) {
                    preparations.sessionReset();
                }
                epoch++;
            }
            case CommandCode.STMT_BULK_EXECUTE -> {
                // it brings types of its own
                find(payload).ifPresent(KnownStatement::relayOnly);
                forgetPending(payload);
                epoch++;
            }
            case CommandCode.QUERY -> epoch += harmless(payload) ? 0 : 1;
            case CommandCode.PING,
                    CommandCode.STATISTICS,
                    CommandCode.PROCESS_INFO,
                    CommandCode.FIELD_LIST,
                    CommandCode.STMT_FETCH,
                    CommandCode.QUIT -> {}
            default -> epoch++;
        }
        return CommandExchange.Observer.NONE;
    }

    /**
     * A command for a statement whose preparation is not answered yet is not followed. So the statement is not followed
     * either.
     */
    private void forgetPending(byte[] payload) {
        if (preparations != null && !statements.containsKey(id(payload))) {
            preparations.unfollow();
        }
    }

    private CommandExchange.Observer executed(byte[] payload) {
        KnownStatement prepared = statements.get(id(payload));
        if (prepared == null) {
            forgetPending(payload);
            epoch++;
            return CommandExchange.Observer.NONE;
        }
        if (!prepared.text.harmless()) {
            epoch++;
            prepared.executions++;
        }
        prepared.longData = false;
        RunningExecution running = new RunningExecution(prepared, prepared.split, cached());
        prepared.split = false;
        try {
            ExecuteCommand command = ExecuteCommand.decode(payload, prepared.parameters, capabilities, prepared.types);
            prepared.cursor = command.cursor();
            if (command.bringsTypes()) {
                prepared.types = command.types();
                prepared.sentTypes = command.types();
            }
            prepared.text.executedWith(command.types());
        } catch (ProtocolException e) {
            // the server's types are unknown now, so none may be added to later executions
            prepared.relayOnly();
        }
        return running;
    }

    private boolean harmless(byte[] payload) {
        int offset = QueryText.offset(payload, capabilities);
        return offset >= 0
                && payload.length - offset < 32
                && HARMLESS.contains(new String(payload, offset, payload.length - offset, StandardCharsets.ISO_8859_1)
                        .toLowerCase(Locale.ROOT));
    }

    private void closed(long id) {
        kept.remove(id);
        if (statements.containsKey(id)) {
            bytes -= statements.remove(id).text.sql().length;
        }
        if (preparations != null) {
            preparations.closed(id);
        }
    }

    private Optional<KnownStatement> find(byte[] payload) {
        return Optional.ofNullable(statements.get(id(payload)));
    }

    /** Whether executions omit definitions that the client has. */
    private boolean cached() {
        return flavor.isMariaDb() && Capability.has(capabilities, Capability.MARIADB_CACHE_METADATA);
    }

    private PendingPrepares preparations() {
        PendingPrepares known = preparations;
        if (known == null) {
            known = new PendingPrepares(cached(), this::room, this::remember);
            preparations = known;
        }
        return known;
    }

    private boolean room(byte[] text) {
        return statements.size() < MOST && bytes + text.length <= MOST_BYTES;
    }

    private void remember(PendingPrepares.Done done) {
        bytes += done.text().sql().length;
        if (statements.isEmpty()) {
            statements = new HashMap<>();
        }
        statements.put(done.statement(), new KnownStatement(done.text(), done.parameters(), done.epoch()));
    }

    /** Returns the statement id of a command. */
    public static long id(byte[] payload) {
        try {
            PayloadReader in = new PayloadReader(payload);
            in.skip(1);
            return in.int4();
        } catch (ProtocolException e) {
            return PendingPrepares.LAST;
        }
    }
}
