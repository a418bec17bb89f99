package io.fanfold.session.channel;

import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.SocketOption;
import jdk.net.ExtendedSocketOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What serves the sockets of an event loop. All channels of a loop have the same transport. */
public enum Transport {
    /** Netty's native code for Linux. A relayed statement takes less CPU time than with {@link #NIO}. */
    EPOLL(EpollSocketChannel.class) {
        @Override
        public IoHandlerFactory handlers() {
            return EpollIoHandler.newFactory();
        }

        @Override
        ChannelOption<Integer> option(SocketOption<Integer> keepAlive) {
            if (keepAlive.equals(ExtendedSocketOptions.TCP_KEEPIDLE)) {
                return EpollChannelOption.TCP_KEEPIDLE;
            } else if (keepAlive.equals(ExtendedSocketOptions.TCP_KEEPINTERVAL)) {
                return EpollChannelOption.TCP_KEEPINTVL;
            } else if (keepAlive.equals(ExtendedSocketOptions.TCP_KEEPCOUNT)) {
                return EpollChannelOption.TCP_KEEPCNT;
            }
            throw new IllegalArgumentException(keepAlive.name());
        }
    },
    /** The sockets of the Java runtime. */
    NIO(NioSocketChannel.class) {
        @Override
        public IoHandlerFactory handlers() {
            return NioIoHandler.newFactory();
        }

        @Override
        ChannelOption<Integer> option(SocketOption<Integer> keepAlive) {
            return NioChannelOption.of(keepAlive);
        }
    };

    private static final Logger LOG = LoggerFactory.getLogger(Transport.class);
    private static final Transport BEST = find();

    private final Class<? extends SocketChannel> client;

    Transport(Class<? extends SocketChannel> client) {
        this.client = client;
    }

    /** Returns {@link #EPOLL} where its native code can be loaded, else {@link #NIO}. Always the same in a process. */
    public static Transport best() {
        return BEST;
    }

    private static Transport find() {
        if (Epoll.isAvailable()) {
            return EPOLL;
        }
        if (System.getProperty("os.name", "").equals("Linux")) {
            Throwable cause = Epoll.unavailabilityCause();
            LOG.info(
                    "sockets are those of the Java runtime, because the native code for epoll cannot be used: {}",
                    cause == null ? "unknown cause" : cause.getMessage());
            LOG.debug("no native code for epoll", cause);
        }
        return NIO;
    }

    /** Creates what serves the sockets of one event loop. */
    public abstract IoHandlerFactory handlers();

    /** The class of channels that connect to a server. */
    public Class<? extends SocketChannel> client() {
        return client;
    }

    /** @param keepAlive an option of {@link io.fanfold.client.KeepAlive} */
    abstract ChannelOption<Integer> option(SocketOption<Integer> keepAlive);
}
