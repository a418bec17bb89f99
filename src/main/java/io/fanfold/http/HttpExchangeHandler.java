package io.fanfold.http;

import io.fanfold.http.Router.Found;
import io.fanfold.session.channel.ChannelWrites;
import io.fanfold.tls.ListenerTls;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one connection, one after the other. A client must send each request, and read each response, within
 * a time; otherwise its connection is closed. Event loop only.
 */
final class HttpExchangeHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(HttpExchangeHandler.class);

    private static final int PARAMETERS = 100;

    /** The most requests that a client may send before it has the response to the first. */
    private static final int PIPELINED = 16;

    private final Router router;
    private final Executor blocking;
    private final OpenConnections connections;
    private final Duration patience;

    /** Requests that arrived while another one is answered. */
    private final Deque<FullHttpRequest> next = new ArrayDeque<>();

    private boolean answering;
    private @Nullable Future<?> deadline;

    /**
     * @param blocking runs routes that may wait
     * @param patience how long a client may take to send a request or to read a response
     */
    HttpExchangeHandler(Router router, Executor blocking, OpenConnections connections, Duration patience) {
        this.router = router;
        this.blocking = blocking;
        this.connections = connections;
        this.patience = patience;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        connections.add(ctx.channel());
        awaitRequest(ctx);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        stopDeadline();
        next.forEach(FullHttpRequest::release);
        next.clear();
        connections.remove(ctx.channel());
    }

    private void awaitRequest(ChannelHandlerContext ctx) {
        connections.waits(ctx.channel());
        startDeadline(ctx);
    }

    /** The response to a request was sent. */
    private void answered(ChannelHandlerContext ctx) {
        answering = false;
        FullHttpRequest waiting = next.poll();
        if (waiting == null) {
            awaitRequest(ctx);
            ctx.channel().config().setAutoRead(true);
        } else {
            try {
                answer(ctx, waiting);
            } finally {
                waiting.release();
            }
        }
    }

    private void startDeadline(ChannelHandlerContext ctx) {
        stopDeadline();
        deadline = ctx.executor()
                .schedule(() -> ChannelWrites.close(ctx.channel()), patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void stopDeadline() {
        Future<?> running = deadline;
        if (running != null) {
            running.cancel(false);
            deadline = null;
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest message) {
        if (!answering) {
            answer(ctx, message);
        } else if (next.size() < PIPELINED && ctx.channel().isActive()) {
            next.add(message.retain());
        } else {
            ChannelWrites.close(ctx.channel());
        }
    }

    private void answer(ChannelHandlerContext ctx, FullHttpRequest message) {
        answering = true;
        ctx.channel().config().setAutoRead(false);
        stopDeadline();
        connections.hasRequest(ctx.channel());
        if (message.decoderResult().isFailure()) {
            respond(ctx, malformed(message.decoderResult().cause()).with("Connection", "close"), false);
            return;
        }
        boolean head = message.method().equals(HttpMethod.HEAD);
        RouteRequest request;
        try {
            request = request(ctx, message, head);
        } catch (IllegalArgumentException e) {
            respond(ctx, RouteResponse.text(400, "the path or the query is malformed"), head);
            return;
        }
        Found found = router.find(request);
        if (found instanceof Found.Answered answered) {
            respond(ctx, answered.response(), head);
        } else if (found instanceof Found.Routed routed) {
            run(ctx, routed.route(), request, head);
        }
    }

    private void run(ChannelHandlerContext ctx, Route route, RouteRequest request, boolean head) {
        if (!route.mayBlock()) {
            respond(ctx, Router.answer(route, request), head);
            return;
        }
        try {
            blocking.execute(() -> {
                RouteResponse response = Router.answer(route, request);
                try {
                    ctx.executor().execute(() -> respond(ctx, response, head));
                } catch (RejectedExecutionException e) {
                    LOG.debug("the port was closed before the answer to {} was there", route.path());
                }
            });
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // an OutOfMemoryError if no thread can be created
            LOG.debug("no thread for a request", e);
            respond(ctx, RouteResponse.text(503, "too many requests at the moment"), head);
        }
    }

    private static RouteRequest request(ChannelHandlerContext ctx, FullHttpRequest message, boolean head) {
        QueryStringDecoder uri = new QueryStringDecoder(message.uri(), StandardCharsets.UTF_8, true, PARAMETERS);
        Map<String, String> headers = new HashMap<>();
        message.headers()
                .forEach(entry -> headers.merge(
                        entry.getKey().toLowerCase(Locale.ROOT), entry.getValue(), (one, more) -> one + "," + more));
        return new RouteRequest(
                head ? HttpMethod.GET.name() : message.method().name(),
                uri.path(),
                uri.parameters(),
                headers,
                ByteBufUtil.getBytes(message.content()),
                isLocal(ctx),
                isCertified(ctx));
    }

    private static boolean isCertified(ChannelHandlerContext ctx) {
        SslHandler tls = ctx.pipeline().get(SslHandler.class);
        return tls != null && ListenerTls.isCertified(tls.engine().getSession());
    }

    private static boolean isLocal(ChannelHandlerContext ctx) {
        return ctx.channel().remoteAddress() instanceof InetSocketAddress peer
                && peer.getAddress() != null
                && peer.getAddress().isLoopbackAddress();
    }

    private static RouteResponse malformed(Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return RouteResponse.text(414, "the first line is too long");
        }
        if (cause instanceof TooLongHttpHeaderException || cause instanceof TooLongFrameException) {
            return RouteResponse.text(431, "the headers are too large");
        }
        return RouteResponse.text(400, "this is no HTTP request");
    }

    private void respond(ChannelHandlerContext ctx, RouteResponse response, boolean head) {
        FullHttpResponse message = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(response.status()),
                head ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(response.body()));
        message.headers().set(HttpHeaderNames.CONTENT_TYPE, response.contentType());
        message.headers().set(HttpHeaderNames.CONTENT_LENGTH, response.body().length);
        response.headers().forEach((name, value) -> message.headers().set(name, value));
        startDeadline(ctx);
        ChannelWrites.then(ctx.writeAndFlush(message), written -> {
            if (!written.isSuccess()) {
                ChannelWrites.close(ctx.channel());
            } else if (ctx.channel().isActive()) {
                // otherwise HttpServerKeepAliveHandler has closed it
                answered(ctx);
            }
        });
    }

    /** A connection that was reset, or a request that is too large for an answer. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("an HTTP connection is closed", cause);
        ChannelWrites.close(ctx.channel());
    }
}
