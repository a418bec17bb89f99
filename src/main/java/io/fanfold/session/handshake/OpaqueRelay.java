package io.fanfold.session.handshake;

import io.fanfold.session.channel.ChannelWrites;
import io.fanfold.session.channel.DisconnectReason;
import io.fanfold.session.channel.PlainCause;
import io.fanfold.session.channel.SessionControl;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Relays one direction of a connection that the client encrypts all the way to the server, without understanding the
 * bytes.
 */
public final class OpaqueRelay extends ChannelInboundHandlerAdapter {
    private final SessionControl session;
    private final Channel peer;
    private final DisconnectReason closed;
    private final DisconnectReason failed;

    /**
     * @param peer receives the bytes
     * @param closed why the session ends if this side closes
     * @param failed why the session ends if this side fails
     */
    public OpaqueRelay(SessionControl session, Channel peer, DisconnectReason closed, DisconnectReason failed) {
        this.session = session;
        this.peer = peer;
        this.closed = closed;
        this.failed = failed;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ChannelWrites.write(peer, (ByteBuf) message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        peer.flush();
        context.channel().config().setAutoRead(peer.isWritable());
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        peer.config().setAutoRead(context.channel().isWritable());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        session.end(closed, "passed through");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        session.end(failed, PlainCause.text(cause));
    }
}
