package io.fanfold.session.channel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ChannelWritesTest {
    /**
     * Plain tasks that follow one another keep the event loop from its sockets for a second, which is very many tasks.
     */
    private static final int FEW = 1_000;

    /** Schedules itself again until the loop has read the bytes that were sent to it in its first turn. */
    private static final class Turns extends ChannelInboundHandlerAdapter {
        private final Socket peer;
        private final CompletableFuture<Integer> turnsBeforeTheRead = new CompletableFuture<>();
        private int turns;

        Turns(Socket peer) {
            this.peer = peer;
        }

        private void turn(Channel channel) {
            if (turns++ == 0) {
                try {
                    peer.getOutputStream().write("now".getBytes(UTF_8));
                } catch (IOException e) {
                    turnsBeforeTheRead.completeExceptionally(e);
                }
            }
            if (!turnsBeforeTheRead.isDone()) {
                ChannelWrites.executeAfterIo(channel.eventLoop(), () -> turn(channel));
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
            turnsBeforeTheRead.complete(turns);
        }
    }

    @Test
    void socketsAreReadBetweenTasksThatFollowEachOther() throws Exception {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Bootstrap bootstrap = new Bootstrap()
                    .group(loops)
                    .channel(NioSocketChannel.class)
                    .handler(new ChannelInboundHandlerAdapter());
            Channel channel = bootstrap
                    .connect(listener.getInetAddress(), listener.getLocalPort())
                    .sync()
                    .channel();
            try (Socket peer = listener.accept()) {
                Turns turns = new Turns(peer);
                channel.pipeline().addLast(turns);
                loops.execute(() -> channel.eventLoop().execute(() -> turns.turn(channel)));
                assertThat(turns.turnsBeforeTheRead.get(60, TimeUnit.SECONDS)).isLessThan(FEW);
            }
        } finally {
            loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).await();
        }
    }
}
