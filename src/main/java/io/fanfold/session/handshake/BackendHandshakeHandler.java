package io.fanfold.session.handshake;

import io.fanfold.session.channel.DisconnectReason;
import io.fanfold.session.channel.PlainCause;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** The handler of the server's connection from its greeting until authentication ends. */
public final class BackendHandshakeHandler extends ChannelInboundHandlerAdapter {
    private final Handshake handshake;

    public BackendHandshakeHandler(Handshake handshake) {
        this.handshake = handshake;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        handshake.fromServer((ByteBuf) message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        handshake.flushClient();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        handshake.flushBackend();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        handshake.backendLost(DisconnectReason.BACKEND_CLOSED, "in authentication");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        handshake.backendLost(DisconnectReason.BACKEND_FAILED, PlainCause.text(cause));
    }
}
