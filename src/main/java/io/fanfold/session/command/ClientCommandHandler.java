package io.fanfold.session.command;

import io.fanfold.session.channel.DisconnectReason;
import io.fanfold.session.channel.PlainCause;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** The handler of a client's channel after authentication. */
public final class ClientCommandHandler extends ChannelInboundHandlerAdapter {
    private final CommandRelay relay;

    public ClientCommandHandler(CommandRelay relay) {
        this.relay = relay;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        relay.fromClient((ByteBuf) message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        relay.clientReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        relay.clientWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        relay.clientLost(DisconnectReason.CLIENT_CLOSED, "closed");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        relay.clientLost(DisconnectReason.CLIENT_FAILED, PlainCause.text(cause));
    }
}
