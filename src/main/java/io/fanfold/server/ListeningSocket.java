package io.fanfold.server;

import io.fanfold.session.channel.Transport;
import io.netty.channel.Channel;
import io.netty.channel.ServerChannel;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.List;

/** A socket that accepts clients. Its {@link Transport} is that of its event loop. */
interface ListeningSocket {
    /** More than any backlog. A bound, in case that clients come faster than they are accepted. */
    int MOST_QUEUED = 100_000;

    /** The channel of this socket. The caller registers and binds it. Closing it closes the socket. */
    ServerChannel channel();

    /** Returns the address of a Unix domain socket. */
    SocketAddress address(Path file);

    /**
     * Lets another process listen on the same port. Called before the channel is bound.
     *
     * @return whether the platform can do that
     */
    boolean share() throws IOException;

    /**
     * Accepts all clients that the kernel has queued for this socket, and closes it. A queued client would lose its
     * connection with the socket. Called once, on any thread but that of the event loop.
     *
     * @return the channels of the accepted clients, which are not registered with an event loop
     */
    List<Channel> acceptQueueAndClose() throws InterruptedException;
}
