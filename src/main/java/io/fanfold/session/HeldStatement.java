package io.fanfold.session;

import io.fanfold.execute.ClientPort;
import io.fanfold.protocol.CommandCode;
import io.fanfold.protocol.ServerPacket;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A statement offered for splitting, and what may be done with its session. Safe for all threads. */
final class HeldStatement implements ClientPort {
    private static final Logger LOG = LoggerFactory.getLogger(HeldStatement.class);

    private enum Use {
        OPEN,
        ANSWERING,
        ENDED
    }

    private final CommandRelay relay;
    private final Channel client;
    private final byte[] payload;
    private final boolean binary;
    private final long threadId;
    private final long capabilities;
    private final int status;
    private final ClientGate gate;
    private final AtomicReference<Use> use = new AtomicReference<>(Use.OPEN);
    private final CompletableFuture<Void> clientGone = new CompletableFuture<>();
    private final CompletableFuture<Void> relayed = new CompletableFuture<>();

    /**
     * @param payload the whole COM_QUERY or COM_STMT_EXECUTE
     * @param status the last status flags of the server
     */
    HeldStatement(
            CommandRelay relay,
            Channel client,
            byte[] payload,
            long threadId,
            long capabilities,
            int status,
            Duration slowClient) {
        this.relay = relay;
        this.client = client;
        this.payload = payload;
        this.binary = code() == CommandCode.STMT_EXECUTE;
        this.threadId = threadId;
        this.capabilities = capabilities;
        this.status = status;
        this.gate = new ClientGate(client, slowClient);
    }

    byte[] payload() {
        return payload;
    }

    /** The command's code. */
    int code() {
        return payload[0] & 0xff;
    }

    @Override
    public long backendThreadId() {
        return threadId;
    }

    @Override
    public CompletableFuture<List<Reply>> ask(List<Command> commands) {
        CompletableFuture<List<Reply>> result = new CompletableFuture<>();
        List<Command> sent = List.copyOf(commands);
        onLoop(
                () -> relay.ask(this, sent, result),
                () -> result.completeExceptionally(new ClientGoneException("the proxy has stopped")));
        return result;
    }

    @Override
    public CompletableFuture<Void> clientGone() {
        return clientGone;
    }

    @Override
    public CompletableFuture<Void> relayed() {
        return relayed;
    }

    @Override
    public void passThrough() {
        take(Use.ENDED);
        onLoop(() -> relay.passThrough(this));
    }

    void passThroughUnlessUsed() {
        if (use.compareAndSet(Use.OPEN, Use.ENDED)) {
            relay.passThrough(this);
        }
    }

    @Override
    public Answer answer(List<byte[]> columnDefinitions) {
        take(Use.ANSWERING);
        return new AnswerWriter(this, client, gate, capabilities, status, columnDefinitions, binary);
    }

    @Override
    public void fail(int errno, String sqlState, String message) {
        take(Use.ENDED);
        ServerPacket.Err error = new ServerPacket.Err(errno, sqlState, message);
        Fire.writeAndFlush(client, Packets.frame(1, error.encode()));
        onLoop(() -> relay.failed(this, error));
    }

    private void take(Use next) {
        if (!use.compareAndSet(Use.OPEN, next)) {
            throw new IllegalStateException("the port's use has ended or an answer has begun");
        }
    }

    /** The last packet of the answer is written. */
    void answered(long rows) {
        use.set(Use.ENDED);
        onLoop(() -> relay.answered(this, rows));
    }

    /** The last packet of the answer is written, and is an error. */
    void failed(ServerPacket.Err error) {
        use.set(Use.ENDED);
        onLoop(() -> relay.failed(this, error));
    }

    void clientTooSlow() {
        onLoop(relay::clientTooSlow);
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
        return use.get() == Use.ANSWERING;
    }

    void clientWritabilityChanged() {
        gate.wake();
    }

    void sessionEnded() {
        gate.shut();
        clientGone.complete(null);
    }
}
