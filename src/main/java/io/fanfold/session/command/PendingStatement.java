package io.fanfold.session.command;

import io.fanfold.execute.ClientConnection;
import io.fanfold.row.ColumnType;
import io.fanfold.session.channel.ChannelWrites;
import io.fanfold.session.channel.ProxyError;
import io.fanfold.wire.Capability;
import io.fanfold.wire.ColumnDefinition;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.Reply;
import io.fanfold.wire.ServerPacket;
import io.fanfold.wire.ServerStatus;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A statement offered for splitting, and the access of its fan-out to the session. Thread-safe. */
final class PendingStatement implements ClientConnection, AnswerWriter.AnswerEnding {
    private static final Logger LOG = LoggerFactory.getLogger(PendingStatement.class);

    private enum Use {
        OPEN,
        ANSWERING,
        ENDED
    }

    /**
     * The progress of its use.
     *
     * @param sequence the sequence id of the next packet to the client until an answer begins; only the low 8 bits
     *     count
     */
    private record PendingState(Use use, int sequence) {
        PendingState with(Use next) {
            return new PendingState(next, sequence);
        }
    }

    private final PendingSlot hold;
    private final Channel client;
    private final byte[] payload;
    private final long threadId;
    private final long capabilities;
    private volatile int status;
    private final boolean outsideTransaction;
    private final long arrivalNanos = System.nanoTime();
    private final WriteBackpressure gate;
    private final AtomicReference<PendingState> state = new AtomicReference<>(new PendingState(Use.OPEN, 1));
    private final CompletableFuture<Void> clientGone = new CompletableFuture<>();
    private final CompletableFuture<RelayEnd> relayed = new CompletableFuture<>();

    /** Accessed on the event loop only. */
    private @Nullable Future<?> reports;

    /**
     * @param payload the whole COM_QUERY or COM_STMT_EXECUTE
     * @param status the server's last status flags
     */
    PendingStatement(
            PendingSlot hold,
            Channel client,
            byte[] payload,
            long threadId,
            long capabilities,
            int status,
            Duration slowClient) {
        this.hold = hold;
        this.client = client;
        this.payload = payload;
        this.threadId = threadId;
        this.capabilities = capabilities;
        this.status = status;
        this.outsideTransaction = ServerStatus.outsideTransaction(status);
        this.gate = new WriteBackpressure(client, slowClient);
    }

    /**
     * Sets the server's status flags after proxy commands. Inside a transaction these commands have begun what the
     * statement would begin.
     */
    void status(int now) {
        if (!outsideTransaction) {
            status = now;
        }
    }

    @Override
    public boolean inTransaction() {
        return (status & ServerStatus.IN_TRANSACTION) != 0;
    }

    /** When the statement arrived, in {@link System#nanoTime}. */
    long arrivalNanos() {
        return arrivalNanos;
    }

    byte[] payload() {
        return payload;
    }

    @Override
    public long backendThreadId() {
        return threadId;
    }

    @Override
    public String user() {
        return hold.user();
    }

    @Override
    public byte[] column(String name, ColumnType type) {
        return ColumnDefinition.of(name, type, capabilities);
    }

    @Override
    public void schema(String name) {
        hold.schema(name);
    }

    @Override
    public CompletableFuture<List<Reply>> ask(List<Command> commands) {
        CompletableFuture<List<Reply>> result = new CompletableFuture<>();
        List<Command> sent = List.copyOf(commands);
        onLoop(
                () -> hold.ask(this, sent, result),
                () -> result.completeExceptionally(new ClientGoneException("the proxy has stopped")));
        return result;
    }

    @Override
    public CompletableFuture<Void> clientGone() {
        return clientGone;
    }

    @Override
    public CompletableFuture<RelayEnd> relayed() {
        return relayed;
    }

    @Override
    public void passThrough() {
        take(Use.ENDED);
        onLoop(() -> hold.passThrough(this));
    }

    /** Passes it through if nothing else has used it; returns whether that was so. */
    boolean passThroughUnlessUsed() {
        boolean open = taken(Use.ENDED).use() == Use.OPEN;
        if (open) {
            hold.passThrough(this);
        }
        return open;
    }

    @Override
    public Answer answer(ResultSetHeader head) {
        int first = take(Use.ANSWERING);
        return new AnswerWriter(this, client, gate, capabilities, status, first, head);
    }

    @Override
    public void succeed() {
        int sequence = take(Use.ENDED);
        byte[] ok = ServerPacket.Ok.encode(ServerPacket.OK, status, 0);
        ChannelWrites.writeAndFlush(client, PacketCodec.frame(ok, sequence));
        onLoop(() -> hold.answered(this, 0));
    }

    @Override
    public void fail(int errno, String sqlState, String message, boolean ran) {
        int sequence = take(Use.ENDED);
        ServerPacket.Err error = new ServerPacket.Err(errno, sqlState, message);
        ChannelWrites.writeAndFlush(client, PacketCodec.frame(ProxyError.payload(error), sequence));
        onLoop(() -> hold.failed(this, error, ran));
    }

    @Override
    public void reportProgress(Duration every, Supplier<ServerPacket.Progress> progress) {
        if (Capability.has(capabilities, Capability.MARIADB_PROGRESS)) {
            onLoop(() -> {
                if (!clientGone.isDone()) {
                    reports = client.eventLoop()
                            .scheduleWithFixedDelay(
                                    () -> report(progress), every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
                }
            });
        }
    }

    private void report(Supplier<ServerPacket.Progress> progress) {
        PendingState now = state();
        if (now.use() != Use.OPEN) {
            stopReports();
        } else if (client.isWritable() && state.compareAndSet(now, new PendingState(Use.OPEN, now.sequence() + 1))) {
            // a thread that ends OPEN after this point writes through a later task of this event loop, so after this
            // packet
            ChannelWrites.writeAndFlush(client, PacketCodec.frame(progress.get().encode(), now.sequence()));
        }
    }

    /** Stops the progress reports. Event loop only. */
    void stopReports() {
        Future<?> running = reports;
        if (running != null) {
            running.cancel(false);
            reports = null;
        }
    }

    /** The sequence id of the next packet to the client, valid until an answer begins. */
    int nextSequence() {
        return state().sequence();
    }

    private PendingState state() {
        return Objects.requireNonNull(state.get());
    }

    private int take(Use next) {
        PendingState before = taken(next);
        if (before.use() != Use.OPEN) {
            throw new IllegalStateException("the port's use has ended or an answer has begun");
        }
        return before.sequence();
    }

    /** Takes the use if it is open, and returns the state before. */
    private PendingState taken(Use next) {
        return state.getAndUpdate(now -> now.use() == Use.OPEN ? now.with(next) : now);
    }

    private void end() {
        state.updateAndGet(now -> now.with(Use.ENDED));
    }

    @Override
    public void answered(long rows) {
        end();
        onLoop(() -> hold.answered(this, rows));
    }

    @Override
    public void failed(ServerPacket.Err error) {
        end();
        onLoop(() -> hold.failed(this, error, true));
    }

    @Override
    public void clientTooSlow() {
        onLoop(hold::clientTooSlow);
    }

    private void onLoop(Runnable task) {
        onLoop(task, () -> {});
    }

    private void onLoop(Runnable task, Runnable whenStopped) {
        try {
            client.eventLoop().execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the proxy has stopped, and the session with it", e);
            whenStopped.run();
        }
    }

    /** Whether an answer has begun and not ended. */
    boolean answering() {
        return state().use() == Use.ANSWERING;
    }

    void clientWritabilityChanged() {
        gate.wake();
    }

    void sessionEnded() {
        stopReports();
        gate.shut();
        clientGone.complete(null);
    }
}
