package io.fanfold.session.command;

import io.fanfold.client.ServerFacts;
import io.fanfold.execute.ClientConnection.Command;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerPacket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/**
 * Runs the preflight queries of a pending statement. It also keeps the state before them, for the case that the server
 * then refuses the statement. Event loop only.
 */
final class PreflightQueries {
    private final ProxyCommands own;
    private final DiagnosticsArea last;

    /** The length up to which every supported server accepts a command. */
    private static final int SURE = ServerFacts.LEAST_PACKET - PacketCodec.HEADER;

    /** The room that a packet needs besides the text. */
    private static final int SPARE = 16;

    private static final String ROOM = "SELECT @@max_allowed_packet";
    private static final Reply TOO_LONG =
            new Reply.Failed(1153, "08S01", "Got a packet bigger than 'max_allowed_packet' bytes");

    /** The number of the pending statement. Replies that arrive after its end must not be used for the next one. */
    private long statement;

    /** The error with which the server refused to prepare the statement; 0 if it did not refuse. */
    private int unprepared;

    /** The server's max_allowed_packet; 0 while unknown. */
    private long room;

    PreflightQueries(ProxyCommands own, DiagnosticsArea last) {
        this.own = own;
        this.last = last;
    }

    /**
     * The state when a statement is passed through.
     *
     * @param found see {@link DiagnosticsArea#known}
     * @param unprepared the error with which the server refused to prepare it; 0 if it did not refuse
     */
    record KnownDiagnostics(long found, int unprepared) {}

    /** A statement becomes pending. */
    void begin() {
        unprepared = 0;
    }

    /** The statement is no longer pending, even if the server has not answered all preflight queries. */
    void end() {
        statement++;
    }

    /** The session was reset to its initial state. */
    void reset() {
        room = 0;
    }

    /**
     * Sends proxy commands; the client does not see their replies. A command that is too long for the server would end
     * the session. It is not sent, and its reply is the error that the server would have returned.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // whenComplete passes failures on
    void ask(List<Command> commands, CompletableFuture<List<Reply>> result) {
        int longest = commands.stream().mapToInt(PreflightQueries::length).max().orElse(0);
        if (longest <= SURE) {
            send(commands, result);
        } else if (room > 0) {
            sendWhatFits(commands, result);
        } else {
            CompletableFuture<List<Reply>> replies = new CompletableFuture<>();
            replies.whenComplete((found, failure) -> {
                if (failure != null) {
                    result.completeExceptionally(failure);
                } else if (found.get(0) instanceof Reply.Failed refused) {
                    result.complete(Collections.nCopies(commands.size(), refused));
                } else {
                    room = Math.max(SURE, number(found.get(0)));
                    sendWhatFits(commands, result);
                }
            });
            send(List.of(query(ROOM)), replies);
        }
    }

    private static int length(Command command) {
        return command.bytes().length;
    }

    private static long number(Reply reply) {
        try {
            return reply instanceof Reply.Result answer && !answer.rows().isEmpty()
                    ? Long.parseLong(answer.rows().get(0).ascii(0))
                    : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // whenComplete passes failures on
    private void sendWhatFits(List<Command> commands, CompletableFuture<List<Reply>> result) {
        List<Command> fitting = commands.stream()
                .filter(command -> length(command) + SPARE < room)
                .toList();
        CompletableFuture<List<Reply>> replies = new CompletableFuture<>();
        replies.whenComplete((found, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
                return;
            }
            Iterator<Reply> next = found.iterator();
            result.complete(commands.stream()
                    .map(command -> length(command) + SPARE < room ? next.next() : TOO_LONG)
                    .toList());
        });
        send(fitting, replies);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // whenComplete passes failures on
    private void send(List<Command> commands, CompletableFuture<List<Reply>> result) {
        if (commands.isEmpty()) {
            result.complete(List.of());
            return;
        }
        long about = statement;
        CompletableFuture<List<Reply>> foundRows = new CompletableFuture<>();
        if (last.foundBefore()) {
            foundRows.complete(List.of());
        } else {
            // completed separately: the statement may end before the other commands are answered
            own.add(List.of(query(DiagnosticsArea.FOUND_ROWS)), foundRows);
        }
        foundRows.thenAccept(found -> {
            if (about == statement && !found.isEmpty()) {
                last.foundBefore(found.get(0));
            }
        });
        CompletableFuture<List<Reply>> replies = new CompletableFuture<>();
        replies.whenComplete((found, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (about != statement) {
                result.completeExceptionally(new CancellationException("the statement is not held any more"));
            } else {
                int end = found.size() - 1;
                if (commands.get(end) instanceof Command.Prepare && found.get(end) instanceof Reply.Failed refusal) {
                    unprepared = refusal.errno();
                }
                result.complete(withRefusal(foundRows.join(), found));
            }
        });
        own.send(commands, replies);
    }

    /** Returns the replies. If a KILL hit the query that ran before them, its error replaces the first reply. */
    private static List<Reply> withRefusal(List<Reply> before, List<Reply> replies) {
        if (before.isEmpty() || !(before.get(0) instanceof Reply.Failed refused)) {
            return replies;
        }
        List<Reply> all = new ArrayList<>(replies);
        all.set(0, refused);
        return all;
    }

    /** Returns the state before the statement; to be called before the statement is sent. */
    KnownDiagnostics known() {
        return new KnownDiagnostics(last.known(), unprepared);
    }

    /** The server ended the statement with this error. */
    void refused(KnownDiagnostics before, int errno) {
        last.refused(before.found(), errno != before.unprepared(), new ServerPacket.Err(errno, "HY000", ""));
    }

    static Command query(String ascii) {
        return new Command.ClientQuery(ascii.getBytes(StandardCharsets.US_ASCII));
    }
}
