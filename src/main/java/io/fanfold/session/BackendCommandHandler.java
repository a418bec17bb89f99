package io.fanfold.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** The server's handler once the client is authenticated. */
final class BackendCommandHandler extends ChannelInboundHandlerAdapter {
    private final CommandRelay relay;

    BackendCommandHandler(CommandRelay relay) {
        this.relay = relay;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        relay.fromServer((ByteBuf) message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        relay.serverReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        relay.serverWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        relay.serverLost(DisconnectReason.BACKEND_CLOSED, "closed");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        relay.serverLost(DisconnectReason.BACKEND_FAILED, ClientSession.text(cause));
    }
}
