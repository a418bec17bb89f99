package io.fanfold.session.command;

import io.fanfold.session.channel.DisconnectReason;
import io.fanfold.session.channel.PlainCause;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The handler of the server's connection after authentication. */
public final class BackendCommandHandler extends ChannelInboundHandlerAdapter {
    /** The time for which a connection is still read after a write has failed. */
    private static final long REST_MILLIS = 1000;

    private final CommandRelay relay;

    /** The first failure; null for none. */
    private @Nullable Throwable failure;

    public BackendCommandHandler(CommandRelay relay) {
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
        lost();
    }

    private void lost() {
        Throwable first = failure;
        if (first == null) {
            relay.serverLost(DisconnectReason.BACKEND_CLOSED, "closed");
        } else {
            relay.serverLost(DisconnectReason.BACKEND_FAILED, PlainCause.text(first));
        }
    }

    /**
     * Waits a moment after a failed write, since the reason may still arrive. A server that receives a packet over its
     * max_allowed_packet sends an error and closes the connection, while bytes are still being sent to it.
     */
    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // a session that has ended does not end again
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        boolean first = failure == null;
        if (first) {
            failure = cause;
        }
        if (!(cause instanceof IOException) || !context.channel().isActive()) {
            lost();
        } else if (first) {
            context.executor().schedule(this::lost, REST_MILLIS, TimeUnit.MILLISECONDS);
        }
    }
}
