package io.fanfold.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The server's handler once the client is authenticated. */
final class BackendCommandHandler extends ChannelInboundHandlerAdapter {
    /** How long the rest of a connection is read on which nothing can be written any more. */
    private static final long REST_MILLIS = 1000;

    private final CommandRelay relay;

    /** What failed first. */
    private @Nullable Throwable failure;

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
        lost();
    }

    private void lost() {
        Throwable first = failure;
        if (first == null) {
            relay.serverLost(DisconnectReason.BACKEND_CLOSED, "closed");
        } else {
            relay.serverLost(DisconnectReason.BACKEND_FAILED, ClientSession.text(first));
        }
    }

    /**
     * Of a failed write the reason may be on its way: a server that is sent a packet over its max_allowed_packet refuses it and
     * closes the connection while it is still being sent to.
     */
    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // a session that has ended is not ended again
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
