package io.fanfold.session.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a client's connection so that the client still receives the last bytes written. A socket that is closed while
 * bytes from the client are unread resets the connection, and the reset overtakes the data.
 */
public final class LingeringClose extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(LingeringClose.class);

    /** The time that the client has to close its side after it has received everything. */
    private static final long LINGER_MILLIS = 2000;

    /** The most bytes that are read and dropped: a client may be sending a command, of 64 MiB by MySQL's default. */
    private static final long MOST_BYTES = 64L << 20;

    private long bytes;

    private LingeringClose() {}

    /**
     * @param last a last packet, transferred; null for none
     * @param longest the time limit for the delivery
     */
    public static void begin(Channel client, @Nullable ByteBuf last, Duration longest) {
        SslHandler encryption = client.pipeline().get(SslHandler.class);
        if (encryption != null && !encryption.handshakeFuture().isSuccess()) {
            // nothing can be sent yet
            if (last != null) {
                last.release();
            }
            ChannelWrites.close(client);
            return;
        }
        client.pipeline().addFirst(new LingeringClose());
        client.config().setAutoRead(true);
        closeAfter(client, longest.toMillis());
        ChannelWrites.then(client.writeAndFlush(last == null ? Unpooled.EMPTY_BUFFER : last), written -> {
            if (written.isSuccess() && client instanceof DuplexChannel socket) {
                if (encryption == null) {
                    shut(socket);
                } else {
                    // without the close_notify of TLS a client regards the connection as truncated
                    ChannelWrites.then(encryption.closeOutbound(), notified -> shut(socket));
                }
            } else {
                ChannelWrites.close(client);
            }
        });
    }

    private static void shut(DuplexChannel socket) {
        ChannelWrites.then(socket.shutdownOutput(), shut -> closeAfter(socket, LINGER_MILLIS));
    }

    private static void closeAfter(Channel client, long millis) {
        var timer = client.eventLoop().schedule(() -> ChannelWrites.close(client), millis, TimeUnit.MILLISECONDS);
        ChannelWrites.then(client.closeFuture(), closed -> timer.cancel(false));
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        bytes += message instanceof ByteBuf read ? read.readableBytes() : 0;
        ReferenceCountUtil.release(message);
        if (bytes > MOST_BYTES) {
            ChannelWrites.close(context.channel());
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        // the session's handlers would stop reading, because they cannot write to the server any more
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("a connection that is being closed failed", cause);
        ChannelWrites.close(context.channel());
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        // no one writes any more
    }
}
