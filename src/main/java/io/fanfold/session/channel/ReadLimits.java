package io.fanfold.session.channel;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

/**
 * Limits how much is read from a socket before the event loop turns to the next one: a few pieces of at most 64 KiB.
 * With epoll, the rest that the kernel holds is read at once if the other side has closed.
 */
public final class ReadLimits {
    /** Matches the bytes of a client that are processed in one turn; more would only wait. */
    private static final RecvByteBufAllocator OF_CLIENT = pieces(2);

    private static final RecvByteBufAllocator OF_SERVER = pieces(4);

    private ReadLimits() {}

    /** For a client's channel. */
    public static RecvByteBufAllocator ofClient() {
        return OF_CLIENT;
    }

    /** For a client's connection to the server. */
    public static RecvByteBufAllocator ofServer() {
        return OF_SERVER;
    }

    private static RecvByteBufAllocator pieces(int most) {
        return new AdaptiveRecvByteBufAllocator().maxMessagesPerRead(most);
    }
}
