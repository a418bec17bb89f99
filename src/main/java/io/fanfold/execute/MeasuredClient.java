package io.fanfold.execute;

import io.fanfold.row.ColumnType;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerPacket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Stands between a fan-out and the client of {@code ANALYZE FORMAT=FANFOLD}: counts the rows of the answer in place of
 * sending them. The client still waits for an answer afterwards, unless the fan-out has failed with an error. For the
 * coordinator thread.
 */
final class MeasuredClient implements ClientConnection {
    /** How the fan-out has ended. */
    enum Outcome {
        /** It has not. */
        OPEN,
        ANSWERED,
        PASSED_THROUGH,
        /** The client has an error. */
        FAILED
    }

    private final ClientConnection client;
    private Outcome outcome = Outcome.OPEN;
    private long rows;
    private long bytes;

    MeasuredClient(ClientConnection client) {
        this.client = client;
    }

    Outcome outcome() {
        return outcome;
    }

    /** The number of rows of the answer. */
    long rows() {
        return rows;
    }

    /** The bytes of these rows, without packet headers. */
    long bytes() {
        return bytes;
    }

    @Override
    public long backendThreadId() {
        return client.backendThreadId();
    }

    @Override
    public String user() {
        return client.user();
    }

    @Override
    public byte[] column(String name, ColumnType type) {
        return client.column(name, type);
    }

    @Override
    public void schema(String name) {
        client.schema(name);
    }

    @Override
    public CompletableFuture<List<Reply>> ask(List<Command> commands) {
        return client.ask(commands);
    }

    @Override
    public boolean inTransaction() {
        return client.inTransaction();
    }

    @Override
    public CompletableFuture<Void> clientGone() {
        return client.clientGone();
    }

    @Override
    public void reportProgress(Duration every, Supplier<ServerPacket.Progress> progress) {
        client.reportProgress(every, progress);
    }

    @Override
    public void passThrough() {
        outcome = Outcome.PASSED_THROUGH;
    }

    @Override
    public void succeed() {
        outcome = Outcome.ANSWERED;
    }

    @Override
    public void fail(int errno, String sqlState, String message, boolean ran) {
        outcome = Outcome.FAILED;
        client.fail(errno, sqlState, message, ran);
    }

    @Override
    public Answer answer(ResultSetHeader head) {
        return new Answer() {
            @Override
            public void row(byte[] payload) {
                rows++;
                bytes += payload.length;
            }

            @Override
            public void stopWaiting() {
                // rows never wait
            }

            @Override
            public void end() {
                outcome = Outcome.ANSWERED;
            }

            @Override
            public void fail(int errno, String sqlState, String message) {
                MeasuredClient.this.fail(errno, sqlState, message, true);
            }
        };
    }
}
