package io.fanfold.session.channel;

import io.fanfold.wire.ProxyHeader;
import io.fanfold.wire.ServerPacket;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import org.jspecify.annotations.Nullable;

/** What the handlers of both channels ask of their session. Event loop only. */
public interface SessionControl {
    /** Connects to the server, unless this was done before. */
    void connect();

    /** Takes the client's address from a PROXY protocol header. */
    void proxied(ProxyHeader.Client header);

    /** Ends the session because of a PROXY protocol header that is not accepted. */
    void refuseHeader(String what);

    /** Returns the flags of {@link SessionCompression#OWN_OFFERS} that the client is offered. */
    long offered(ServerPacket.Greeting greeting);

    /**
     * The server has sent its greeting.
     *
     * @param packet the greeting for the client; transferred
     */
    void greeted(ServerPacket.Greeting greeting, ByteBuf packet, ChannelHandler greetingHandler);

    /** Sets the user of the login, and the schema that the session begins with; empty for none. */
    void schema(String user, String name);

    /**
     * The client is authenticated.
     *
     * @param capabilities negotiated by both sides
     * @param status the server's status flags
     */
    void authenticated(
            ServerPacket.Greeting greeting,
            long capabilities,
            int status,
            SessionSecurity security,
            SessionFraming framing);

    /** The client encrypts all the way to the server: from here on bytes are relayed without being understood. */
    void passedThrough();

    /** Ends the session with an error in place of the greeting. */
    void refuse(DisconnectReason reason, String message);

    /** Ends the session; bytes already written to the client are still delivered. */
    void end(DisconnectReason reason, String detail);

    /**
     * Ends the session with a last packet to the client.
     *
     * @param last transferred; null for none
     */
    void end(DisconnectReason reason, String detail, @Nullable ByteBuf last);

    boolean hasEnded();

    /** Whether the session ends as soon as its client has nothing open. */
    boolean draining();

    /** While the session drains: bytes of either side were processed, after which the client may have nothing open. */
    void settled(SessionUse use);
}
