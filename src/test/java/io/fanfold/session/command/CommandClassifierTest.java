package io.fanfold.session.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.execute.FanOutDispatcher;
import io.fanfold.execute.FanOutRequest;
import io.fanfold.reason.Reason;
import io.fanfold.session.channel.SessionSchema;
import io.fanfold.session.channel.SessionSecurity;
import io.fanfold.session.prepared.PreparedStatements;
import io.fanfold.wire.Capability;
import io.fanfold.wire.CommandCode;
import io.fanfold.wire.CommandExchange;
import io.fanfold.wire.Conversation;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.SequenceRule;
import io.fanfold.wire.ServerFlavor;
import io.fanfold.wire.ServerStatus;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Classifies every command in every state of a session that matters for it. */
class CommandClassifierTest {
    private static final long PROTOCOL =
            Capability.PROTOCOL_41 | Capability.DEPRECATE_EOF | Capability.SECURE_CONNECTION;
    private static final String DEFINITION =
            "0364656600000000" + "0161" + "00" + "0c" + "3f00" + "0b000000" + "03" + "0000" + "00" + "0000";

    /** What differs from an idle session outside of transactions, which has prepared statement 7. */
    private enum State {
        IDLE,
        /** A command has no answer yet. */
        OWED,
        /** Bytes of the client's next command have arrived. */
        NOT_ALONE,
        /** The command is too long to be looked at whole. */
        NOT_WHOLE,
        /** The transaction has read data that the proxy does not know. */
        TRANSACTION,
        /** The proxy has answered the last statement, so the server lacks its diagnostics area. */
        FOLDED,
        FOLDED_AND_OWED,
        /** Long data for statement 7 is buffered. */
        KEPT,
        KEPT_AND_OWED,
        /** The proxy has answered the execution that brought the types, so the server lacks them. */
        TYPES_OWED
    }

    /** Offers texts that contain "split". */
    private static final FanOutDispatcher DISPATCHER = new FanOutDispatcher() {
        @Override
        public Optional<Reason> filter(byte[] sql, int offset, int length, @Nullable String schema) {
            String text = new String(sql, offset, length, StandardCharsets.US_ASCII);
            if (text.contains("fail")) {
                throw new IllegalStateException("as a test wants it");
            }
            return text.contains("split") ? Optional.empty() : Optional.of(Reason.NOT_A_SELECT);
        }

        @Override
        public void submit(FanOutRequest request) {
            throw new AssertionError("a classifier offers nothing");
        }

        @Override
        public void killed(long backendThreadId) {
            throw new AssertionError("a classifier kills nothing");
        }
    };

    private final Conversation conversation =
            new Conversation(PROTOCOL, ServerStatus.AUTOCOMMIT, SequenceRule.COUNTED, packet -> {});
    private final SessionState session = new SessionState(
            PROTOCOL,
            conversation,
            new SessionSchema("u", ""),
            new DiagnosticsArea(ServerFlavor.MYSQL),
            new PreparedStatements(PROTOCOL, ServerFlavor.MYSQL, 1000),
            new SessionTracker(PROTOCOL, ServerFlavor.MYSQL),
            new TransactionWatch(PROTOCOL));
    private final CommandClassifier classifier =
            new CommandClassifier(DISPATCHER, session, new SessionSecurity(true, false));

    private static byte[] text(int code, String text) {
        return ((char) code + text).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }

    /** An execution of a statement with one parameter. */
    private static byte[] execution(int id, String types) {
        return hex("17" + "%02x000000".formatted(id) + "00" + "01000000" + "00" + types + "05000000");
    }

    private static byte[] longData(int id) {
        return hex("18" + "%02x000000".formatted(id) + "0000" + "61");
    }

    private static byte[] command(String name) {
        return switch (name) {
            case "query" -> text(CommandCode.QUERY, "SELECT split");
            case "other query" -> text(CommandCode.QUERY, "SELECT 1");
            case "failing query" -> text(CommandCode.QUERY, "SELECT fail");
            case "asking query" -> text(CommandCode.QUERY, "SELECT FOUND_ROWS()");
            case "prepare" -> text(CommandCode.STMT_PREPARE, "SELECT split");
            case "other prepare" -> text(CommandCode.STMT_PREPARE, "INSERT");
            case "execution" -> execution(7, "010300");
            case "long execution" -> hex("1707000000" + "00" + "01000000" + "00" + "01fc00");
            case "untyped" -> execution(7, "00");
            case "unknown execution" -> execution(8, "010300");
            case "garbled execution" -> hex("1707000000" + "00");
            case "long data" -> longData(7);
            case "unknown long data" -> longData(8);
            case "bulk execution" -> hex("fa07000000" + "8000");
            case "change user" -> hex("11" + "7500" + "00" + "00" + "2100" + "6e00");
            case "garbled user" -> hex("11" + "7500" + "05" + "61");
            default -> throw new IllegalArgumentException(name);
        };
    }

    private void sent(byte[] payload) {
        CommandExchange.Observer observer = session.prepared().sent(payload, payload[0] & 0xff, true);
        conversation.sent(CommandExchange.of(payload, CommandExchange.Audience.CLIENT, observer));
    }

    private void answered(String... packets) throws ProtocolException {
        for (String packet : packets) {
            conversation.packet(hex(packet));
        }
    }

    private void arrange(State state) throws ProtocolException {
        sent(text(CommandCode.STMT_PREPARE, "SELECT split FROM t WHERE b < ?"));
        answered("00" + "07000000" + "0100" + "0100" + "00" + "0000", DEFINITION, DEFINITION);
        switch (state) {
            case TRANSACTION -> {
                sent(text(CommandCode.QUERY, "INSERT"));
                answered("00000003000000");
            }
            case FOLDED, FOLDED_AND_OWED -> session.last().split(3);
            case KEPT, KEPT_AND_OWED -> session.prepared().keep(longData(7));
            case TYPES_OWED ->
                session.prepared()
                        .examined(
                                session.prepared().look(execution(7, "010300")).orElseThrow());
            case IDLE, OWED, NOT_ALONE, NOT_WHOLE -> {}
        }
        if (state == State.OWED || state == State.FOLDED_AND_OWED || state == State.KEPT_AND_OWED) {
            sent(new byte[] {CommandCode.PING});
        }
    }

    private CommandAction classified(byte[] payload, State state) {
        byte[] looked = state == State.NOT_WHOLE ? Arrays.copyOf(payload, Math.min(6, payload.length)) : payload;
        return classifier.classify(looked, payload[0] & 0xff, state != State.NOT_WHOLE, state != State.NOT_ALONE);
    }

    /** Returns the action's name, and the reason why a command is not offered. */
    private static String described(CommandAction action) {
        String reason =
                action.findings().notOffered().map(not -> " " + not.reason()).orElse("");
        boolean remember = action instanceof CommandAction.Send send && send.worthRemembering();
        return action.getClass().getSimpleName() + reason + (remember ? " remember" : "");
    }

    @ParameterizedTest
    @CsvSource(useHeadersInDisplayName = true, delimiter = '|', textBlock = """
        command           | IDLE              | OWED           | NOT_ALONE      | NOT_WHOLE | TRANSACTION         | FOLDED            | FOLDED_AND_OWED   | KEPT                              | KEPT_AND_OWED     | TYPES_OWED
        query             | Offer             | Send PIPELINED | Send PIPELINED | Send      | Send IN_TRANSACTION | Offer             | Send PIPELINED    | Offer                             | Send PIPELINED    | Offer
        other query       | Send NOT_A_SELECT | =              | =              | Send      | =                   | =                 | =                 | =                                 | =                 | =
        failing query     | Send INTERNAL     | =              | =              | Send      | =                   | =                 | =                 | =                                 | =                 | =
        asking query      | Send NOT_A_SELECT | =              | =              | Send      | =                   | RestoreDiagnostics | Wait              | =                                 | =                 | =
        prepare           | Send remember     | =              | =              | Send      | =                   | =                 | =                 | =                                 | =                 | =
        other prepare     | Send              | =              | =              | =         | =                   | =                 | =                 | =                                 | =                 | =
        execution         | Offer             | Send PIPELINED | Send PIPELINED | Send      | Send IN_TRANSACTION | Offer             | Send PIPELINED    | CompletedExecution PREPARED_STATE | Wait              | Offer
        long execution    | Offer             | Send PIPELINED | Send PIPELINED | Send      | Send IN_TRANSACTION | Offer             | Send PIPELINED    | Offer                             | Wait              | Send PREPARED_STATE
        untyped           | Send PREPARED_STATE | =            | =              | Send      | =                   | =                 | =                 | CompletedExecution PREPARED_STATE | Wait              | Offer
        unknown execution | Send              | =              | =              | =         | =                   | =                 | =                 | =                                 | =                 | =
        garbled execution | Send PREPARED_STATE | =            | =              | Send      | =                   | =                 | =                 | CompletedExecution PREPARED_STATE | Wait              | Reject
        long data         | Keep              | =              | =              | Send      | =                   | =                 | =                 | =                                 | =                 | =
        unknown long data | Send              | =              | =              | =         | =                   | =                 | =                 | =                                 | =                 | =
        bulk execution    | Send              | =              | =              | =         | =                   | =                 | =                 | SendKept                          | SendKept          | =
        change user       | ChangeUser        | Wait           | Send           | Send      | =                   | =                 | Wait              | =                                 | Wait              | =
        garbled user      | Send              | =              | =              | =         | =                   | =                 | =                 | =                                 | =                 | =
        """)
    void commandsThatMatter(
            String name,
            String idle,
            String owed,
            String notAlone,
            String notWhole,
            String transaction,
            String folded,
            String foldedAndOwed,
            String kept,
            String keptAndOwed,
            String typesOwed)
            throws ProtocolException {
        List<String> cells = List.of(
                idle, owed, notAlone, notWhole, transaction, folded, foldedAndOwed, kept, keptAndOwed, typesOwed);
        Iterator<String> next = cells.iterator();
        for (State state : State.values()) {
            String cell = next.next();
            String expected = cell.equals("=") ? idle : cell;
            CommandClassifierTest fresh = new CommandClassifierTest();
            fresh.arrange(state);
            assertThat(described(fresh.classified(command(name), state)))
                    .as("%s, %s", name, state)
                    .isEqualTo(expected);
            for (int code = 0; code < 256; code++) {
                fresh.classified(new byte[] {(byte) code, 7, 0, 0, 0, 0}, state);
            }
            assertThat(described(fresh.classified(command(name), state)))
                    .as("%s, %s: nothing has changed since", name, state)
                    .isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @EnumSource(State.class)
    void allOtherCommandsAreSent(State state) throws ProtocolException {
        arrange(state);
        List<Integer> matter = List.of(
                CommandCode.QUERY,
                CommandCode.STMT_PREPARE,
                CommandCode.STMT_EXECUTE,
                CommandCode.STMT_SEND_LONG_DATA,
                CommandCode.STMT_BULK_EXECUTE,
                CommandCode.CHANGE_USER);
        for (int code = 0; code < 256; code++) {
            if (!matter.contains(code)) {
                byte[] payload = {(byte) code, 7, 0, 0, 0, 0};
                assertThat(described(classified(payload, state)))
                        .as("0x%x", code)
                        .isEqualTo("Send");
            }
        }
        assertThat(described(classifier.classify(new byte[0], -1, true, true))).isEqualTo("Send");
    }

    @Test
    void usersAreChangedByTheServerIfBothConnectionsAreAlike() {
        for (boolean secure : new boolean[] {true, false}) {
            CommandClassifier alike = new CommandClassifier(DISPATCHER, session, new SessionSecurity(secure, secure));
            assertThat(described(alike.classify(command("change user"), CommandCode.CHANGE_USER, true, true)))
                    .isEqualTo("Send");
        }
    }
}
