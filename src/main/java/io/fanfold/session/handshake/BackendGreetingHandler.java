package io.fanfold.session.handshake;

import io.fanfold.session.channel.DisconnectReason;
import io.fanfold.session.channel.PlainCause;
import io.fanfold.session.channel.SessionCompression;
import io.fanfold.session.channel.SessionControl;
import io.fanfold.wire.PacketCodec;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ServerPacket;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Waits for the server's first packet. From a greeting it removes the capabilities that would hide the commands; an
 * error is relayed to the client.
 */
public final class BackendGreetingHandler extends ChannelInboundHandlerAdapter {
    private static final int LONGEST = 64 * 1024;

    private final SessionControl session;
    private final PacketCodec.Reader scanner = new PacketCodec.Reader(LONGEST);

    public BackendGreetingHandler(SessionControl session) {
        this.session = session;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            int end = scanner.scan(bytes, bytes.readerIndex(), bytes.writerIndex());
            if (scanner.payloadLength() > LONGEST) {
                unexpected("its first packet claims " + scanner.payloadLength() + " bytes");
            } else if (!scanner.complete()) {
                return;
            } else if (end != bytes.writerIndex()) {
                unexpected("bytes follow its first packet");
            } else {
                first(scanner.copyOfKept());
            }
        } catch (ProtocolException e) {
            unexpected(PlainCause.text(e));
        } finally {
            bytes.release();
        }
    }

    private void first(byte[] payload) throws ProtocolException {
        if (payload.length > 0 && (payload[0] & 0xff) == ServerPacket.ERROR) {
            session.end(
                    DisconnectReason.BACKEND_REFUSED,
                    ServerPacket.Err.decode(payload).message(),
                    PacketCodec.frame(payload, scanner.sequence()));
            return;
        }
        ServerPacket.Greeting greeting = ServerPacket.Greeting.decode(payload);
        byte[] shown = ServerPacket.Greeting.withCapabilities(
                payload, SessionCompression.OWN_OFFERS, session.offered(greeting));
        session.greeted(greeting, PacketCodec.frame(shown, scanner.sequence()), this);
    }

    private void unexpected(String what) {
        session.refuse(DisconnectReason.BACKEND_PROTOCOL, "the server does not speak the MySQL protocol: " + what);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        session.refuse(DisconnectReason.BACKEND_CLOSED, "the server closed the connection before its greeting");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        session.refuse(
                DisconnectReason.BACKEND_FAILED,
                "the server's connection failed before its greeting: " + PlainCause.text(cause));
    }
}
