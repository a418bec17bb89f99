package io.fanfold.session.handshake;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** The handler of a client's channel from the greeting until authentication ends. */
public final class ClientHandshakeHandler extends ChannelInboundHandlerAdapter {
    private final Handshake handshake;

    public ClientHandshakeHandler(Handshake handshake) {
        this.handshake = handshake;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        handshake.fromClient((ByteBuf) message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        handshake.flushBackend();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        handshake.flushClient();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        handshake.clientClosed();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        handshake.release();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        handshake.clientFailed(cause);
    }
}
