package io.fanfold.session;

import io.fanfold.protocol.Capability;
import io.fanfold.protocol.PacketScanner;
import io.fanfold.protocol.PayloadReader;
import io.fanfold.protocol.ProtocolException;
import io.fanfold.protocol.ProxyHeaderReader;
import io.fanfold.protocol.ResponseTracker;
import io.fanfold.protocol.ServerPacket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.handler.codec.ByteToMessageDecoder;
import org.jspecify.annotations.Nullable;

/**
 * Relays the authentication exchange byte for byte, whatever the plugin. It looks at two things: the client's
 * capabilities in its first packet, and the OK or error that ends the exchange. Event loop only.
 *
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase.html">connection phase</a>
 */
final class Handshake {
    /** What is needed of the client's first payload: flags, packet size, character set, filler, MariaDB's flags. */
    private static final int RESPONSE_HEAD = 32;

    private final ClientSession session;
    private final ServerPacket.Greeting greeting;
    private final Channel client;
    private final Channel backend;
    private final PacketScanner fromServer = new PacketScanner(ResponseTracker.PREFIX);
    private final PacketScanner fromClient = new PacketScanner(0);
    private @Nullable ByteBuf responseStart;
    private boolean responded;
    private long capabilities;

    Handshake(ClientSession session, ServerPacket.Greeting greeting, Channel client, Channel backend) {
        this.session = session;
        this.greeting = greeting;
        this.client = client;
        this.backend = backend;
    }

    /** @param bytes transferred */
    void fromClient(ByteBuf bytes) {
        if (holdsProxyHeader(bytes)) {
            bytes.release();
            refuse(fromServer.sequence() + 1, "a PROXY protocol header is taken only once, before all else");
            return;
        }
        if (responded) {
            Fire.write(backend, bytes);
            return;
        }
        ByteBuf all = responseStart == null
                ? bytes
                : ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(backend.alloc(), responseStart, bytes);
        responseStart = null;
        int available = all.readableBytes();
        int length = available < PacketScanner.HEADER ? RESPONSE_HEAD : all.getUnsignedMediumLE(all.readerIndex());
        if (available < PacketScanner.HEADER + Math.min(length, RESPONSE_HEAD)) {
            responseStart = all;
            return;
        }
        byte[] head = ByteBufUtil.getBytes(
                all, all.readerIndex() + PacketScanner.HEADER, Math.min(length, RESPONSE_HEAD), true);
        if (accepted(head, length, all.getUnsignedByte(all.readerIndex() + 3))) {
            responded = true;
            Fire.write(backend, all);
        } else {
            all.release();
        }
    }

    /** The server might believe one that a client has put behind the first bytes. */
    private boolean holdsProxyHeader(ByteBuf bytes) {
        int at = bytes.readerIndex();
        while (at < bytes.writerIndex()) {
            at = fromClient.scan(bytes, at, bytes.writerIndex());
            if (ProxyHeaderReader.isPacketHeader(fromClient.payloadLength(), fromClient.sequence())) {
                return true;
            }
        }
        return false;
    }

    private boolean accepted(byte[] head, int length, int sequence) {
        try {
            long flags = clientCapabilities(head);
            if (Capability.has(flags, Capability.SSL) && length <= RESPONSE_HEAD) {
                return refuse(sequence, "TLS was not offered, but the client asks for it");
            }
            if (Capability.has(flags, Capability.COMPRESS | Capability.ZSTD_COMPRESSION)) {
                return refuse(sequence, "compression was not offered, but the client asks for it");
            }
            capabilities = greeting.capabilities() & ~BackendGreetingHandler.NOT_OFFERED & flags;
            return true;
        } catch (ProtocolException e) {
            return refuse(sequence, ClientSession.text(e));
        }
    }

    private boolean refuse(int sequence, String what) {
        session.end(
                DisconnectReason.CLIENT_PROTOCOL,
                what,
                Packets.error(sequence + 1, Packets.HANDSHAKE_ERROR, "08S01", "Bad handshake: " + what));
        return false;
    }

    /**
     * The flags in a handshake response.
     *
     * @param head its payload's first 32 bytes, or all of it
     */
    static long clientCapabilities(byte[] head) throws ProtocolException {
        PayloadReader in = new PayloadReader(head);
        long flags = in.int2();
        if (!Capability.has(flags, Capability.PROTOCOL_41)) {
            return flags;
        }
        flags |= (long) in.int2() << 16;
        if (!Capability.has(flags, Capability.CLIENT_MYSQL)) {
            in.skip(4 + 1 + 19);
            flags |= in.int4() << 32;
        }
        return flags;
    }

    /** @param bytes transferred */
    void fromServer(ByteBuf bytes) {
        int at = bytes.readerIndex();
        int end = bytes.writerIndex();
        boolean authenticated = false;
        while (at < end && !authenticated) {
            at = fromServer.scan(bytes, at, end);
            if (fromServer.complete() && fromServer.keptLength() > 0) {
                int first = fromServer.kept()[0] & 0xff;
                if (first == ServerPacket.ERROR) {
                    session.end(DisconnectReason.BACKEND_REFUSED, "authentication", bytes);
                    return;
                }
                authenticated = first == ServerPacket.OK && responded;
            }
        }
        Fire.write(client, bytes.readRetainedSlice(at - bytes.readerIndex()));
        if (authenticated) {
            finish(bytes);
        } else {
            bytes.release();
        }
    }

    private void finish(ByteBuf rest) {
        int status = 0;
        try {
            status = ServerPacket.Ok.decode(fromServer.copyOfKept()).status();
        } catch (ProtocolException e) {
            rest.release();
            session.end(DisconnectReason.BACKEND_PROTOCOL, ClientSession.text(e));
            return;
        }
        session.authenticated(greeting, capabilities, status);
        if (rest.isReadable()) {
            backend.pipeline().fireChannelRead(rest);
        } else {
            rest.release();
        }
    }

    void flushClient() {
        client.flush();
        backend.config().setAutoRead(client.isWritable());
    }

    void flushBackend() {
        backend.flush();
        client.config().setAutoRead(backend.isWritable());
    }

    void clientClosed() {
        session.end(DisconnectReason.CLIENT_CLOSED, "in authentication");
    }

    void clientFailed(Throwable cause) {
        session.end(DisconnectReason.CLIENT_FAILED, ClientSession.text(cause));
    }

    void backendLost(DisconnectReason reason, String detail) {
        boolean between = fromServer.complete();
        session.end(reason, detail, between ? Packets.serverLost(responded ? 2 : 1) : null);
    }

    /** Gives back what was kept of the client's first packet. */
    void release() {
        if (responseStart != null) {
            responseStart.release();
            responseStart = null;
        }
    }
}
