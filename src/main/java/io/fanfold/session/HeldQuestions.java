package io.fanfold.session;

import io.fanfold.execute.ClientPort.Command;
import io.fanfold.execute.ClientPort.Reply;
import io.fanfold.protocol.ServerPacket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What the proxy asks the server about a held statement, and what is to be known from before when the server refuses the
 * statement after it. Event loop only.
 */
final class HeldQuestions {
    private final OwnCommands own;
    private final LastStatement last;

    /** The error with which the server refused to prepare the statement; 0 where it did not. */
    private int unprepared;

    HeldQuestions(OwnCommands own, LastStatement last) {
        this.own = own;
        this.last = last;
    }

    /**
     * What is known when a statement is passed through.
     *
     * @param found see {@link LastStatement#known}
     * @param unprepared the error with which the server refused to prepare it; 0 where it did not
     */
    record Known(long found, int unprepared) {}

    /** A statement is held. */
    void begin() {
        unprepared = 0;
    }

    /** Sends commands; their replies do not reach the client. */
    @SuppressWarnings("FutureReturnValueIgnored") // what follows hands a failure on
    void ask(List<Command> commands, CompletableFuture<List<Reply>> result) {
        boolean known = last.foundBefore();
        List<Command> all = new ArrayList<>(commands);
        if (!known) {
            all.add(0, query(LastStatement.FOUND_ROWS));
        }
        CompletableFuture<List<Reply>> replies = new CompletableFuture<>();
        replies.whenComplete((found, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
                return;
            }
            if (!known) {
                last.foundBefore(found.get(0));
            }
            int end = all.size() - 1;
            if (all.get(end) instanceof Command.Prepare && found.get(end) instanceof Reply.Failed refusal) {
                unprepared = refusal.errno();
            }
            result.complete(known ? found : found.subList(1, found.size()));
        });
        own.send(all, replies);
    }

    /** To be asked for before the statement is sent. */
    Known known() {
        return new Known(last.known(), unprepared);
    }

    /** The server ended the statement with that error. */
    void refused(Known before, int errno) {
        last.refused(before.found(), errno != before.unprepared(), new ServerPacket.Err(errno, "HY000", ""));
    }

    static Command query(String ascii) {
        return new Command.Query(ascii.getBytes(StandardCharsets.US_ASCII));
    }
}
