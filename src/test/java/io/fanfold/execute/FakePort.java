package io.fanfold.execute;

import io.fanfold.row.ColumnType;
import io.fanfold.row.Row;
import io.fanfold.wire.ColumnDefinition;
import io.fanfold.wire.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A session that answers commands with a function and records how its use ended. It records a second end too. */
final class FakePort implements ClientConnection {
    private final Function<Command, Reply> server;
    private final List<Command> asked = new CopyOnWriteArrayList<>();
    private final AtomicInteger rounds = new AtomicInteger();
    private final List<String> ends = new CopyOnWriteArrayList<>();
    private final List<String> rows = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Void> gone = new CompletableFuture<>();
    private final CompletableFuture<RelayEnd> relayed = new CompletableFuture<>();
    private final CompletableFuture<String> ended = new CompletableFuture<>();
    private volatile boolean leavesAtFirstRow;
    private volatile boolean interruptedAtFirstRow;

    FakePort(Function<Command, Reply> server) {
        this.server = server;
    }

    @Override
    public byte[] column(String name, ColumnType type) {
        return ColumnDefinition.of(name, type, 0);
    }

    @Override
    public void schema(String name) {
        // it looks nothing up
    }

    /** Completes with the first end. */
    CompletableFuture<String> ended() {
        return ended;
    }

    /** Returns all ends. More than one is an error of the caller. */
    List<String> ends() {
        return ends;
    }

    List<Command> asked() {
        return asked;
    }

    /** Returns how often the border to the session was crossed with commands. */
    int rounds() {
        return rounds.get();
    }

    List<String> rows() {
        return rows;
    }

    void leavesAtFirstRow() {
        leavesAtFirstRow = true;
    }

    void interruptedAtFirstRow() {
        interruptedAtFirstRow = true;
    }

    private void end(String how) {
        ends.add(how);
        ended.complete(how);
    }

    @Override
    public long backendThreadId() {
        return 77;
    }

    @Override
    public CompletableFuture<List<Reply>> ask(List<Command> commands) {
        rounds.incrementAndGet();
        asked.addAll(commands);
        List<Reply> replies = new ArrayList<>();
        try {
            commands.forEach(command -> replies.add(server.apply(command)));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        return CompletableFuture.completedFuture(replies);
    }

    @Override
    public CompletableFuture<Void> clientGone() {
        return gone;
    }

    @Override
    public CompletableFuture<RelayEnd> relayed() {
        return relayed;
    }

    @Override
    public void passThrough() {
        end("passed through");
    }

    @Override
    public Answer answer(ResultSetHeader head) {
        return new Answer() {
            @Override
            public void row(byte[] payload) throws ClientGoneException, InterruptedException {
                if (leavesAtFirstRow) {
                    throw new ClientGoneException("left");
                }
                if (interruptedAtFirstRow) {
                    throw new InterruptedException("stopping");
                }
                rows.add(Row.of(payload, head.columns()).toString());
            }

            @Override
            public void stopWaiting() {
                // row() never waits
            }

            @Override
            public void end() {
                FakePort.this.end("answered");
            }

            @Override
            public void fail(int errno, String sqlState, String message) {
                FakePort.this.end("broke off: " + errno);
            }
        };
    }

    @Override
    public void succeed() {
        end("succeeded");
    }

    @Override
    public void fail(int errno, String sqlState, String message, boolean ran) {
        end("failed: " + errno);
    }
}
