package io.fanfold.session.handshake;

import io.fanfold.session.channel.DisconnectReason;
import io.fanfold.session.channel.PlainCause;
import io.fanfold.session.channel.ProxyError;
import io.fanfold.session.channel.SessionControl;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;

/** A client's handler until the server has greeted. The client must not send anything before. */
public final class GreetingWaitHandler extends ChannelInboundHandlerAdapter {
    private final SessionControl session;

    public GreetingWaitHandler(SessionControl session) {
        this.session = session;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ReferenceCountUtil.release(message);
        session.end(
                DisconnectReason.CLIENT_PROTOCOL,
                "bytes before the greeting",
                ProxyError.HANDSHAKE_ERROR.packet(0, "Bad handshake: the client sent bytes before the greeting"));
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        session.end(DisconnectReason.CLIENT_CLOSED, "before the greeting");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        session.end(DisconnectReason.CLIENT_FAILED, PlainCause.text(cause));
    }
}
