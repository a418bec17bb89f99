package io.fanfold.session.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DuplexChannel;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LingeringCloseTest {
    /** A connection whose sending half can be closed alone. */
    private static final class Duplex extends EmbeddedChannel implements DuplexChannel {
        Duplex(ChannelHandler handler) {
            super(handler);
        }

        @Override
        public ChannelFuture shutdownOutput() {
            return newSucceededFuture();
        }

        @Override
        public ChannelFuture shutdownOutput(ChannelPromise promise) {
            return promise.setSuccess();
        }

        @Override
        public boolean isOutputShutdown() {
            return false;
        }

        @Override
        public ChannelFuture shutdownInput() {
            return newSucceededFuture();
        }

        @Override
        public ChannelFuture shutdownInput(ChannelPromise promise) {
            return promise.setSuccess();
        }

        @Override
        public boolean isInputShutdown() {
            return false;
        }

        @Override
        public ChannelFuture shutdown() {
            return newSucceededFuture();
        }

        @Override
        public ChannelFuture shutdown(ChannelPromise promise) {
            return promise.setSuccess();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }
    }

    private static Duplex client() {
        return new Duplex(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelReadComplete(ChannelHandlerContext context) {
                // as a session does that cannot write to its server
                context.channel().config().setAutoRead(false);
            }
        });
    }

    @Test
    void aClientThatSendsMuchIsClosed() {
        Duplex client = client();
        LingeringClose.begin(client, null, Duration.ofSeconds(5));
        byte[] chunk = new byte[1 << 20];
        for (int i = 0; i < 64; i++) {
            client.pipeline().fireChannelRead(Unpooled.wrappedBuffer(chunk));
        }
        assertThat(client.isOpen()).isTrue();
        client.pipeline().fireChannelRead(Unpooled.wrappedBuffer(chunk));
        assertThat(client.isOpen()).isFalse();
        client.finishAndReleaseAll();
    }

    /** A client that sends more than one read can take must still be read: else it never reads the last packet. */
    @Test
    void theClientIsReadToItsEnd() {
        Duplex client = client();
        LingeringClose.begin(client, null, Duration.ofSeconds(5));
        client.pipeline().fireChannelRead(Unpooled.buffer(1).writeByte(1));
        client.pipeline().fireChannelReadComplete();
        assertThat(client.isOpen()).isTrue();
        assertThat(client.config().isAutoRead()).isTrue();
        client.finishAndReleaseAll();
    }
}
