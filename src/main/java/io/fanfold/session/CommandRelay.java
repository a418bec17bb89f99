package io.fanfold.session;

import io.fanfold.execute.ClientPort.Command;
import io.fanfold.execute.ClientPort.Reply;
import io.fanfold.execute.StatementOffer;
import io.fanfold.metrics.Reason;
import io.fanfold.protocol.CommandCode;
import io.fanfold.protocol.PacketRole;
import io.fanfold.protocol.PacketScanner;
import io.fanfold.protocol.PayloadWriter;
import io.fanfold.protocol.ProtocolException;
import io.fanfold.protocol.ResponseTracker;
import io.fanfold.protocol.ServerPacket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The command phase of a session: sends the client's bytes to the server and the server's to the client, follows both by
 * their packets, and takes out the statements that are offered for splitting. While such a statement is held, or the
 * proxy asks the server something itself, the client's further bytes wait here. Event loop only.
 */
final class CommandRelay {
    private static final Logger LOG = LoggerFactory.getLogger(CommandRelay.class);

    /** Why the client's bytes wait. */
    private enum Pause {
        NONE,
        /** A statement is offered for splitting. */
        HELD,
        /** The server has to be brought into the right state first. */
        REPAIR,
        /** The same, and earlier commands have not been answered. */
        REPAIR_WAITS
    }

    private record Kill(long response, long threadId) {}

    private final ClientSession session;
    private final Channel client;
    private final Channel backend;
    private final SessionServices services;
    private final long threadId;
    private final long capabilities;
    private final ResponseTracker tracker;
    private final PacketScanner fromClient = new PacketScanner(0);
    private final PacketScanner fromServer = new PacketScanner(ResponseTracker.PREFIX);
    private final UnseenAnswer unseen = new UnseenAnswer();
    private final Deque<Kill> kills = new ArrayDeque<>();
    private final Deque<ReplyCollector> collectors = new ArrayDeque<>();

    private final Deque<ByteBuf> incoming = new ArrayDeque<>();
    private long incomingBytes;
    private boolean clientSendsData;
    private Pause pause = Pause.NONE;
    private @Nullable HeldStatement held;
    private int nextSequence;
    private boolean farewell;

    CommandRelay(
            ClientSession session,
            Channel client,
            Channel backend,
            SessionServices services,
            long threadId,
            long capabilities,
            int status) {
        this.session = session;
        this.client = client;
        this.backend = backend;
        this.services = services;
        this.threadId = threadId;
        this.capabilities = capabilities;
        this.tracker = new ResponseTracker(capabilities, status);
    }

    // ---- from the client ----

    /** @param bytes transferred */
    void fromClient(ByteBuf bytes) {
        if (session.hasEnded()) {
            bytes.release();
            return;
        }
        incomingBytes += bytes.readableBytes();
        incoming.addLast(bytes);
        drainIncoming();
    }

    private void drainIncoming() {
        while (pause == Pause.NONE) {
            ByteBuf bytes = incoming.poll();
            if (bytes == null) {
                return;
            }
            if (incoming.isEmpty() || tracker.opaque()) {
                if (!read(bytes)) {
                    return;
                }
            } else if (!readJoined(bytes)) {
                return;
            }
        }
    }

    /** Reads a buffer of which only a part could be read before, together with the one behind it. */
    private boolean readJoined(ByteBuf first) {
        ByteBuf second = incoming.remove();
        return read(ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(backend.alloc(), first, second));
    }

    /**
     * Reads as many commands as are there.
     *
     * @param bytes transferred
     * @return whether all was read; else the rest waits in {@link #incoming}
     */
    private boolean read(ByteBuf bytes) {
        int start = bytes.readerIndex();
        int end = bytes.writerIndex();
        int at = start;
        while (at < end && pause == Pause.NONE) {
            int next = step(bytes, at, end);
            if (next == at) {
                break;
            }
            at = next;
        }
        if (at == end) {
            incomingBytes -= at - start;
            forward(bytes);
            return true;
        }
        if (at > start) {
            incomingBytes -= at - start;
            forward(bytes.readRetainedSlice(at - start));
        }
        if (bytes.isReadable()) {
            incoming.addFirst(bytes);
        } else {
            bytes.release();
        }
        return false;
    }

    private void forward(ByteBuf bytes) {
        if (bytes.isReadable()) {
            Fire.write(backend, bytes);
        } else {
            bytes.release();
        }
    }

    /** Reads on to the next border; returns {@code at} when more bytes are needed or the statement is held. */
    private int step(ByteBuf bytes, int at, int end) {
        if (tracker.opaque()) {
            return end;
        }
        if (!fromClient.complete() || tracker.clientSendsData()) {
            return stream(bytes, at, end);
        }
        int available = end - at;
        if (available < PacketScanner.HEADER) {
            return at;
        }
        int length = bytes.getUnsignedMediumLE(at);
        if (available < PacketScanner.HEADER + Math.min(length, ResponseTracker.COMMAND_PREFIX)) {
            return at;
        }
        int code = length == 0 ? -1 : bytes.getUnsignedByte(at + PacketScanner.HEADER);
        boolean whole = (code == CommandCode.QUERY || code == CommandCode.STMT_PREPARE)
                && length - 1 <= services.settings().statementBytes();
        if (whole && available < PacketScanner.HEADER + length) {
            return at;
        }
        int looked = whole ? length : Math.min(length, ResponseTracker.COMMAND_PREFIX);
        byte[] payload = ByteBufUtil.getBytes(bytes, at + PacketScanner.HEADER, looked, true);
        boolean last = incoming.isEmpty() && at + PacketScanner.HEADER + length == end;
        if (stays(payload, code, whole, last)) {
            if (pause == Pause.HELD) {
                bytes.writerIndex(at);
                incomingBytes -= PacketScanner.HEADER + length;
            }
            return at;
        }
        send(payload, code);
        clientSendsData = false;
        return fromClient.scan(bytes, at, end);
    }

    private int stream(ByteBuf bytes, int at, int end) {
        if (fromClient.complete()) {
            clientSendsData = true;
        }
        int next = fromClient.scan(bytes, at, end);
        if (fromClient.complete() && clientSendsData) {
            tracker.clientData(fromClient.payloadLength());
            nextSequence = fromClient.sequence() + 1;
        }
        return next;
    }

    /** Notes a command that goes to the server. */
    private void send(byte[] payload, int code) {
        long response = tracker.command(payload, payload.length);
        nextSequence = 1;
        if (code == CommandCode.QUERY || code == CommandCode.STMT_EXECUTE) {
            unseen.clear();
        } else if (code == CommandCode.RESET_CONNECTION || code == CommandCode.CHANGE_USER) {
            unseen.reset();
        } else if (code == CommandCode.QUIT) {
            farewell = true;
        }
        OptionalLong killed = killed(payload, code);
        if (killed.isPresent() && response >= 0) {
            kills.add(new Kill(response, killed.getAsLong()));
        }
    }

    private OptionalLong killed(byte[] payload, int code) {
        if (code == CommandCode.PROCESS_KILL && payload.length >= 5) {
            return OptionalLong.of(Unpooled.wrappedBuffer(payload).getUnsignedIntLE(1));
        }
        int offset = code == CommandCode.QUERY ? QueryText.offset(payload, capabilities) : -1;
        return offset < 0
                ? OptionalLong.empty()
                : services.kills().killedThread(payload, offset, payload.length - offset);
    }

    /** Whether a command has to wait: it is offered for splitting, or something has to be asked before it. */
    private boolean stays(byte[] payload, int code, boolean whole, boolean last) {
        Optional<byte[]> repair = repairBefore(payload, code, whole);
        if (repair.isPresent()) {
            if (tracker.idle()) {
                unseen.clear();
                repair(repair.get());
            } else {
                pause = Pause.REPAIR_WAITS;
            }
            return true;
        }
        return code == CommandCode.QUERY && whole && offered(payload, last);
    }

    private Optional<byte[]> repairBefore(byte[] payload, int code, boolean whole) {
        if (code == CommandCode.STMT_EXECUTE) {
            return unseen.beforeExecute();
        }
        return whole
                ? unseen.before(payload, 1, payload.length - 1, code == CommandCode.STMT_PREPARE)
                : Optional.empty();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it fails only when the session has ended
    private void repair(byte[] query) {
        pause = Pause.REPAIR;
        CompletableFuture<List<Reply>> done = new CompletableFuture<>();
        done.thenRun(() -> backend.eventLoop().execute(this::resume));
        askServer(List.of(new Command.Query(query)), done);
    }

    private boolean offered(byte[] payload, boolean last) {
        int offset = QueryText.offset(payload, capabilities);
        if (offset < 0) {
            return false;
        }
        try {
            Optional<Reason> reason = services.splitter()
                    .filter(payload, offset, payload.length - offset)
                    .or(() -> refusal(last));
            if (reason.isPresent()) {
                services.metrics().passedThrough(reason.get());
                return false;
            }
        } catch (RuntimeException e) {
            LOG.warn("the look at a statement failed; it is passed through", e);
            return false;
        }
        hold(payload, offset);
        return true;
    }

    private Optional<Reason> refusal(boolean last) {
        if (!tracker.idle() || !last) {
            return Optional.of(Reason.PIPELINED);
        }
        return tracker.outsideTransaction() ? Optional.empty() : Optional.of(Reason.IN_TRANSACTION);
    }

    // ---- a held statement ----

    private void hold(byte[] payload, int offset) {
        byte[] sql = Arrays.copyOfRange(payload, offset, payload.length);
        HeldStatement statement = new HeldStatement(
                this,
                client,
                payload,
                threadId,
                capabilities,
                tracker.status(),
                services.settings().slowClient());
        held = statement;
        pause = Pause.HELD;
        StatementOffer offer = new StatementOffer(sql, statement, System.nanoTime());
        // behind the current read, so that the splitter finds the session at rest
        client.eventLoop().execute(() -> offer(offer, statement));
    }

    private void offer(StatementOffer offer, HeldStatement statement) {
        try {
            services.splitter().offer(offer);
        } catch (RuntimeException e) {
            LOG.warn("offering a statement failed; it is passed through", e);
            statement.passThroughUnlessUsed();
        }
    }

    /** Sends commands of the proxy's own; their replies do not reach the client. */
    void ask(HeldStatement statement, List<Command> commands, CompletableFuture<List<Reply>> result) {
        if (held != statement || session.hasEnded()) {
            result.completeExceptionally(new IOException("the session has ended"));
        } else if (commands.isEmpty()) {
            result.complete(List.of());
        } else {
            askServer(commands, result);
        }
    }

    private void askServer(List<Command> commands, CompletableFuture<List<Reply>> result) {
        ReplyCollector collector =
                new ReplyCollector(commands, capabilities, services.settings().replyBytes(), result);
        collectors.add(collector);
        for (Command command : commands) {
            byte[] payload = command instanceof Command.Query query
                    ? QueryText.command(query.sql(), capabilities)
                    : new PayloadWriter()
                            .int1(CommandCode.STMT_PREPARE)
                            .bytes(((Command.Prepare) command).sql())
                            .toBytes();
            sendOwn(payload);
        }
        backend.flush();
    }

    private void sendOwn(byte[] payload) {
        tracker.command(payload, payload.length);
        LongPackets.write(payload, 0, bytes -> Fire.write(backend, bytes));
    }

    void passThrough(HeldStatement statement) {
        if (held == statement && !session.hasEnded()) {
            send(statement.payload(), CommandCode.QUERY);
            LongPackets.write(statement.payload(), 0, bytes -> Fire.write(backend, bytes));
            release();
        }
    }

    /** The statement was answered, its last packet is written. */
    void answered(HeldStatement statement, long rows) {
        if (held == statement && !session.hasEnded()) {
            unseen.folded(rows);
            release();
        }
    }

    /** The client left its socket full for too long. */
    void clientTooSlow() {
        session.end(DisconnectReason.CLIENT_TOO_SLOW, "folded answer");
        Fire.close(client);
    }

    private void release() {
        held = null;
        resume();
    }

    private void resume() {
        if (session.hasEnded()) {
            return;
        }
        pause = Pause.NONE;
        drainIncoming();
        backend.flush();
        regulateClient();
        endWhenDrained();
    }

    // ---- from the server ----

    /** @param bytes transferred */
    void fromServer(ByteBuf bytes) {
        if (session.hasEnded()) {
            bytes.release();
            return;
        }
        int end = bytes.writerIndex();
        int at = bytes.readerIndex();
        while (at < end && !collectors.isEmpty()) {
            at = collect(bytes, at, end);
        }
        bytes.readerIndex(at);
        while (at < end && !tracker.opaque()) {
            at = fromServer.scan(bytes, at, end);
            if (fromServer.complete()) {
                follow();
            }
        }
        if (bytes.isReadable() && !session.hasEnded()) {
            Fire.write(client, bytes);
        } else {
            bytes.release();
        }
        if (pause == Pause.REPAIR_WAITS && tracker.idle()) {
            resume();
        }
    }

    private void follow() {
        PacketRole role = tracker.packet(fromServer.kept(), fromServer.keptLength(), fromServer.payloadLength());
        nextSequence = fromServer.sequence() + 1;
        if (role == PacketRole.UNSOLICITED) {
            farewell = fromServer.keptLength() > 0 && (fromServer.kept()[0] & 0xff) == ServerPacket.ERROR;
        }
        Kill kill = kills.peek();
        if (kill != null && tracker.ended() == kill.response()) {
            kills.remove();
            if (role == PacketRole.OK) {
                services.splitter().killed(kill.threadId());
            }
        }
    }

    private int collect(ByteBuf bytes, int at, int end) {
        ReplyCollector collector = collectors.element();
        if (fromServer.complete()) {
            fromServer.keepUpTo(Math.max(ResponseTracker.PREFIX, collector.wanted()));
        }
        int next = fromServer.scan(bytes, at, end);
        if (!fromServer.complete()) {
            return next;
        }
        PacketRole role = tracker.packet(fromServer.kept(), fromServer.keptLength(), fromServer.payloadLength());
        try {
            collector.packet(role, fromServer);
        } catch (ProtocolException e) {
            serverLost(DisconnectReason.BACKEND_PROTOCOL, ClientSession.text(e));
            return end;
        }
        if (tracker.ended() >= 0) {
            collector.endReply().ifPresent(this::closeStatement);
            if (collector.complete()) {
                collectors.remove();
                fromServer.keepUpTo(ResponseTracker.PREFIX);
                collector.deliver();
            }
        }
        return next;
    }

    private void closeStatement(long id) {
        sendOwn(new PayloadWriter().int1(CommandCode.STMT_CLOSE).int4(id).toBytes());
        backend.flush();
    }

    // ---- both ----

    void clientReadComplete() {
        backend.flush();
        regulateClient();
    }

    void serverReadComplete() {
        client.flush();
        regulateServer();
        endWhenDrained();
    }

    void clientWritabilityChanged() {
        regulateServer();
        HeldStatement statement = held;
        if (statement != null) {
            statement.clientWritabilityChanged();
        }
    }

    void serverWritabilityChanged() {
        regulateClient();
    }

    /** Reads the client only while its bytes can go somewhere. */
    private void regulateClient() {
        boolean room =
                pause == Pause.NONE || incomingBytes < services.settings().pendingBytes();
        client.config().setAutoRead(backend.isWritable() && room);
    }

    private void regulateServer() {
        backend.config().setAutoRead(client.isWritable() || !collectors.isEmpty());
    }

    void clientLost(DisconnectReason reason, String detail) {
        session.end(reason, detail);
    }

    /** The server is gone: the client is told where that can be told, between two packets. */
    void serverLost(DisconnectReason reason, String detail) {
        HeldStatement statement = held;
        boolean answering = statement != null && statement.answering();
        boolean inside = collectors.isEmpty() && !fromServer.complete() || !fromClient.complete();
        if (answering || inside || farewell || tracker.opaque()) {
            session.end(reason, detail);
        } else {
            session.end(reason, detail, Packets.serverLost(sequenceOfError()));
        }
    }

    private int sequenceOfError() {
        if (pause != Pause.NONE) {
            return 1;
        }
        return tracker.waiting() ? nextSequence : 0;
    }

    private void endWhenDrained() {
        if (session.draining() && atRest()) {
            session.end(DisconnectReason.DRAINED, "idle");
        }
    }

    /** Whether nothing is under way: no answer outstanding, no statement held, no transaction open. */
    boolean atRest() {
        return pause == Pause.NONE
                && tracker.idle()
                && tracker.outsideTransaction()
                && incoming.isEmpty()
                && fromClient.complete();
    }

    /** The session has ended: whoever waits for it is told, and what waited is given back. */
    void ended() {
        ReplyCollector collector;
        while ((collector = collectors.poll()) != null) {
            collector.fail(new IOException("the session has ended"));
        }
        HeldStatement statement = held;
        if (statement != null) {
            statement.sessionEnded();
        }
        ByteBuf bytes;
        while ((bytes = incoming.poll()) != null) {
            bytes.release();
        }
    }
}
