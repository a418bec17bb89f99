package io.fanfold.session;

import io.fanfold.execute.PreparedText;
import io.fanfold.execute.StatementOffer.Execution;
import io.fanfold.protocol.Capability;
import io.fanfold.protocol.CommandCode;
import io.fanfold.protocol.ExecuteCommand;
import io.fanfold.protocol.PacketRole;
import io.fanfold.protocol.PacketScanner;
import io.fanfold.protocol.PayloadReader;
import io.fanfold.protocol.ProtocolException;
import io.fanfold.protocol.ResponseTracker;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The prepared statements of a session that may be worth splitting when they are executed, up to a number and to a number
 * of bytes; those beyond it are only relayed. Event loop only.
 *
 * <p>Where an execution was answered without the server, the server may not know the types of the parameters, which come
 * with one execution and hold for those after it. Then they are put into the next execution that the server gets.
 */
final class PreparedStatements {
    private static final int MOST = 256;
    private static final int MOST_BYTES = Preparations.MOST_BYTES;

    private static final byte[] UNKNOWN = {};

    /** Texts that change nothing of what the settings of a session are read for. */
    private static final Set<String> HARMLESS = Set.of(
            "begin", "commit", "rollback", "start transaction", "set autocommit=0", "set autocommit=1", "select 1");

    /** A statement that the server has, and is worth looking at. */
    private static final class Prepared {
        private final PreparedText text;
        private final int parameters;
        private final long epoch;

        /** Of the last execution that brought some. */
        private byte[] types = UNKNOWN;

        /** The types that the server knows. */
        private byte[] sentTypes = UNKNOWN;

        /** What kinds of values the parameters had so far; see {@link ParameterKinds}. */
        private final ParameterKinds kinds;

        /** How often it was executed by the server and might have changed the settings for others. */
        private long executions;

        /** Whether the server has values for its next execution. */
        private boolean longData;

        /** Whether the server may have rows that wait to be fetched: the next execution is to drop them. */
        private boolean cursor;

        /** Whether an execution was split, and the server has not run one since. */
        private boolean split;

        private boolean onlyRelayed;

        Prepared(PreparedText text, int parameters, long epoch) {
            this.text = text;
            this.parameters = parameters;
            this.epoch = epoch;
            this.kinds = new ParameterKinds(parameters);
        }

        boolean owed() {
            return !Arrays.equals(types, sentTypes);
        }
    }

    /**
     * An execution that the server has.
     *
     * @param response the number of its response
     * @param afterSplit whether one before it was split, and no other has brought the server its types since
     */
    private record Running(long response, Prepared statement, boolean afterSplit) {}

    /**
     * What is to be done with an execution.
     *
     * @param text what is executed
     * @param execution to be offered; empty when it is passed through
     * @param owed whether the server has to be told the types, or values that were sent before
     */
    record Look(byte[] text, Optional<Execution> execution, boolean owed) {}

    private final long capabilities;
    private final boolean mariaDb;
    private final Map<Long, Prepared> statements = new HashMap<>();
    private final Preparations preparations;
    private int bytes;

    /** Executions that the server has not answered: it matters what columns they announce. */
    private final Deque<Running> executions = new ArrayDeque<>();

    /** Counts what may have changed the session's settings. */
    private long epoch;

    private final LongData kept;

    /** @param keptBytes how much of what is sent before executions is kept */
    PreparedStatements(long capabilities, boolean mariaDb, int keptBytes) {
        this.capabilities = capabilities;
        this.mariaDb = mariaDb;
        this.kept = new LongData(keptBytes);
        this.preparations = new Preparations(cached(), this::room, this::remember);
    }

    /** Whether an execution has to be looked at whole, however long it is. */
    boolean owes(long id) {
        Prepared prepared = statements.get(id);
        return prepared != null && (prepared.owed() || kept.keeps(id));
    }

    /** Whether values sent before an execution may be kept: the server has none of it. */
    boolean keepsLongData(long id) {
        Prepared prepared = statements.get(id);
        return prepared != null && !prepared.longData && !prepared.onlyRelayed;
    }

    /**
     * Keeps a value sent before an execution.
     *
     * @param payload the whole command
     * @return whether it is kept; else it goes to the server
     */
    boolean keep(byte[] payload) {
        long id = id(payload);
        return keepsLongData(id) && kept.keep(id, payload);
    }

    /** Whether values are kept for a statement. */
    boolean keeps(long id) {
        return kept.keeps(id);
    }

    /** Takes out the commands with the values that are kept for a statement: they go to the server now. */
    List<byte[]> takeKept(long id) {
        return kept.remove(id);
    }

    /** An execution was answered without the server: the values sent before it are used up, and the server has no types of it. */
    void split(byte[] payload) {
        kept.remove(id(payload));
        find(payload).ifPresent(prepared -> prepared.split = true);
    }

    /** Whether an execution is worth looking at. */
    boolean remembers(long id) {
        return statements.containsKey(id);
    }

    /**
     * The statement that an id means. What the client prepared last is not what the server did, where the proxy asked it
     * something in between.
     */
    long resolved(long id) {
        return mariaDb && id == Preparations.LAST && preparations.ended() ? preparations.last() : id;
    }

    /**
     * Whether a command executes a statement whose preparation is not answered yet and may be worth splitting: MariaDB's
     * clients send both in one go.
     *
     * @param payload its first bytes
     */
    boolean awaits(byte[] payload) {
        return mariaDb && preparations.awaitsNewest() && id(payload) == Preparations.LAST;
    }

    /**
     * Looks at an execution.
     *
     * @param payload the whole command
     * @return empty when nothing is known of its statement, or it is not understood
     */
    Optional<Look> look(byte[] payload) {
        Prepared prepared = statements.get(id(payload));
        if (prepared == null) {
            return Optional.empty();
        }
        ExecuteCommand command;
        try {
            command = ExecuteCommand.decode(payload, prepared.parameters, capabilities, prepared.types);
        } catch (ProtocolException e) {
            return Optional.of(new Look(prepared.text.sql(), Optional.empty(), kept.keeps(id(payload))));
        }
        prepared.types = command.types();
        long id = id(payload);
        Optional<ExecuteCommand> complete = complete(command, id);
        boolean mixed = !prepared.kinds.sameAsBefore(command.types()) && !mariaDb;
        boolean relayed = command.cursor() || prepared.cursor || prepared.longData || prepared.onlyRelayed || mixed;
        Optional<Execution> execution = complete.filter(known -> !relayed)
                .map(known -> new Execution(prepared.text, known, epoch - prepared.executions == prepared.epoch));
        boolean owed = prepared.owed() && !command.bringsTypes() || kept.keeps(id);
        return Optional.of(new Look(prepared.text.sql(), execution, owed));
    }

    /** An execution with the values that are kept for it; empty where they do not fit. */
    private Optional<ExecuteCommand> complete(ExecuteCommand command, long id) {
        try {
            return Optional.of(command.withLongData(kept.values(id)));
        } catch (ProtocolException e) {
            return Optional.empty();
        }
    }

    /**
     * Whether the server would read an execution by other types than the client's: it does not know those that hold, the
     * execution does not bring any, and they cannot be put in, since it is too long or not understood.
     *
     * @param payload the command, or its beginning
     */
    boolean wouldBeMisread(byte[] payload, boolean whole) {
        Prepared prepared = statements.get(id(payload));
        if (prepared == null || !prepared.owed()) {
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

    /** An execution as the server has to get it: with the types that it does not know. */
    byte[] outgoing(byte[] payload) {
        Prepared prepared = statements.get(id(payload));
        if (prepared == null || !prepared.owed()) {
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
     * A command goes to the server.
     *
     * @param payload as {@link ClientStream.Commands#look} has it
     * @param response the number of its response
     * @param worthRemembering whether a statement to be prepared may be worth splitting
     */
    void sent(byte[] payload, int code, long response, boolean worthRemembering) {
        switch (code) {
            case CommandCode.STMT_PREPARE ->
                preparations.sent(
                        response, worthRemembering ? Arrays.copyOfRange(payload, 1, payload.length) : null, epoch);
            case CommandCode.STMT_EXECUTE -> executed(payload, response);
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
                statements.clear();
                executions.clear();
                kept.clear();
                bytes = 0;
                preparations.sessionReset();
                epoch++;
            }
            case CommandCode.STMT_BULK_EXECUTE -> {
                // it brings types of its own
                find(payload).ifPresent(prepared -> {
                    prepared.onlyRelayed = true;
                    prepared.types = UNKNOWN;
                    prepared.sentTypes = UNKNOWN;
                });
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
    }

    /** What is sent for a statement before its preparation was answered is not followed, nor the statement. */
    private void forgetPending(byte[] payload) {
        if (!statements.containsKey(id(payload))) {
            preparations.unfollow();
        }
    }

    private void executed(byte[] payload, long response) {
        Prepared prepared = statements.get(id(payload));
        if (prepared == null) {
            forgetPending(payload);
            epoch++;
            return;
        }
        if (!prepared.text.harmless()) {
            epoch++;
            prepared.executions++;
        }
        prepared.longData = false;
        executions.add(new Running(response, prepared, prepared.split));
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
            // what types the server makes of it is not known, so none are put into those that follow
            prepared.onlyRelayed = true;
            prepared.types = UNKNOWN;
            prepared.sentTypes = UNKNOWN;
        }
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
        Prepared prepared = statements.remove(id);
        if (prepared != null) {
            bytes -= prepared.text.sql().length;
        }
        preparations.closed(id);
    }

    private Optional<Prepared> find(byte[] payload) {
        return Optional.ofNullable(statements.get(id(payload)));
    }

    /** How many bytes of the server's next packets are to be kept. */
    int wanted() {
        return preparations.wanted();
    }

    /** Whether executions leave out definitions that the client has. */
    private boolean cached() {
        return mariaDb && Capability.has(capabilities, Capability.MARIADB_CACHE_METADATA);
    }

    /**
     * The server sent a packet of a response.
     *
     * @param packet its first {@link #wanted} bytes
     * @param tracker was told of it
     */
    void received(PacketRole role, PacketScanner packet, ResponseTracker tracker) {
        if (role == PacketRole.ERROR) {
            failed(tracker.ended());
        }
        announcedAnew(role, packet, tracker.current());
        preparations.received(role, packet, tracker.ended());
    }

    /**
     * MySQL does not keep the types of an execution that fails before it runs, as with 3988 (measured on 9.7.4): it answers the
     * next one without types with 1210. If the client's last types came with an execution that was split, the server still has
     * to be told them.
     */
    private void failed(long response) {
        for (Running running : executions) {
            if (running.response() == response && running.afterSplit()) {
                running.statement().split = true;
                running.statement().sentTypes = UNKNOWN;
                running.statement().text.executedWith(UNKNOWN);
            }
        }
    }

    /**
     * A relayed execution has other columns than when the statement was prepared: that is what the client was told then, and what
     * the server's status tells it of later executions. Where definitions are left out that the client has, it has others when they
     * come.
     */
    private void announcedAnew(PacketRole role, PacketScanner packet, long response) {
        while (!executions.isEmpty() && (response == -1 || executions.element().response() < response)) {
            executions.remove();
        }
        Running running = executions.peek();
        if (running == null || running.response() != response) {
            return;
        }
        if (role == PacketRole.COLUMN && cached()
                || role == PacketRole.COLUMN_COUNT
                        && count(packet) != running.statement().text.columns()) {
            running.statement().onlyRelayed = true;
        }
    }

    private static long count(PacketScanner packet) {
        try {
            return new PayloadReader(packet.copyOfKept()).lenencInt();
        } catch (ProtocolException e) {
            return -1;
        }
    }

    private boolean room(byte[] text) {
        return statements.size() < MOST && bytes + text.length <= MOST_BYTES;
    }

    private void remember(Preparations.Done done) {
        bytes += done.text().sql().length;
        statements.put(done.statement(), new Prepared(done.text(), done.parameters(), done.epoch()));
    }

    /** The id that a command of a statement begins with. */
    static long id(byte[] payload) {
        try {
            PayloadReader in = new PayloadReader(payload);
            in.skip(1);
            return in.int4();
        } catch (ProtocolException e) {
            return Preparations.LAST;
        }
    }
}
