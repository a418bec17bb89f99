package io.fanfold.server;

import io.fanfold.session.channel.PlainCause;
import io.fanfold.session.channel.RateLimitedWarning;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.AttributeKey;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/**
 * Serves a listener when the process has no file handle left for a client. It keeps some handles in reserve and
 * releases one, so that the client can be accepted and refused instead of waiting for a greeting. Another thread may
 * take a released handle, for instance for a connection to the server, so there are several. If none is left, accepting
 * pauses and is tried again. For one listener; on its event loop only.
 */
final class AcceptGuard extends ChannelInboundHandlerAdapter {
    /** Set on a client that must be refused. */
    static final AttributeKey<Boolean> REFUSED = AttributeKey.valueOf(AcceptGuard.class, "refused");

    static final int RESERVE = 8;
    static final Duration PAUSE = Duration.ofMillis(500);

    /** The source of the reserve. */
    interface Handles {
        Closeable open() throws IOException;
    }

    private final RateLimitedWarning warning = new RateLimitedWarning(LoggerFactory.getLogger(AcceptGuard.class));
    private final Handles handles;
    private final Deque<Closeable> reserve = new ArrayDeque<>();
    private boolean refusing;

    AcceptGuard(Handles handles) {
        this.handles = handles;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        hold();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        while (!reserve.isEmpty()) {
            letGoOne();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (refusing && message instanceof Channel client) {
            refusing = false;
            client.attr(REFUSED).set(true);
            client.closeFuture().addListener(closed -> context.executor().execute(() -> resume(context)));
        }
        context.fireChannelRead(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (refusing) {
            // the client has already disconnected
            refusing = false;
            hold();
        }
        context.fireChannelReadComplete();
    }

    /**
     * Does not pass an IOException to the listener's own handler, which would stop for a second and log a stack trace
     * each time.
     */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (!(cause instanceof IOException)) {
            context.fireExceptionCaught(cause);
            return;
        }
        warning.warn("a client cannot be accepted: " + PlainCause.withoutCall(cause.getMessage())
                + "; each client needs two file handles of this process, see ulimit -n");
        if (!reserve.isEmpty()) {
            letGoOne();
            refusing = true;
            return;
        }
        refusing = false;
        context.channel().config().setAutoRead(false);
        Future<?> unused = context.executor().schedule(() -> resume(context), PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void resume(ChannelHandlerContext context) {
        if (!context.isRemoved()) {
            hold();
            context.channel().config().setAutoRead(true);
        }
    }

    private void hold() {
        try {
            while (reserve.size() < RESERVE) {
                reserve.add(handles.open());
            }
        } catch (IOException e) {
            // keep what could be opened
            return;
        }
    }

    private void letGoOne() {
        try {
            reserve.remove().close();
        } catch (IOException e) {
            warning.warn("a file handle cannot be closed: " + e.getMessage());
        }
    }
}
