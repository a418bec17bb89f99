package io.fanfold.session.command;

import io.fanfold.session.channel.ChannelWrites;
import io.fanfold.session.channel.DisconnectReason;
import io.fanfold.session.channel.SessionControl;
import io.fanfold.session.channel.SessionSecurity;
import io.fanfold.session.handshake.AuthPackets;
import io.fanfold.session.handshake.AuthRelay;
import io.fanfold.session.handshake.PasswordExchange;
import io.fanfold.session.handshake.SessionTls;
import io.fanfold.wire.AuthResponse;
import io.fanfold.wire.Capability;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Conducts a COM_CHANGE_USER on a session of which only one connection is secure, so that the password may have to be
 * sent in another form. On other sessions the exchange is relayed like any other answer. Event loop only.
 *
 * @see <a
 *     href="https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_change_user.html">COM_CHANGE_USER</a>
 */
final class UserChange implements AuthRelay.Ending {
    /** The session whose user is changed. */
    interface UserChangeOwner {
        /**
         * The exchange has ended.
         *
         * @param last the server's last packet, already sent to the client
         */
        void userChanged(byte[] last);

        void serverLost(DisconnectReason reason, String detail);
    }

    private final SessionControl session;
    private final UserChangeOwner owner;
    private final AuthPackets fromClient = new AuthPackets(0);
    private final AuthRelay relay;
    private final Channel client;

    UserChange(
            SessionControl session,
            UserChangeOwner owner,
            Channel client,
            Channel server,
            long capabilities,
            SessionSecurity security,
            SessionTls tls) {
        this.session = session;
        this.owner = owner;
        this.client = client;
        boolean multiFactor = Capability.has(capabilities, Capability.MULTI_FACTOR);
        PasswordExchange exchange =
                new PasswordExchange(security.client(), security.server(), multiFactor, tls.passwordKeys());
        // the command has the sequence id 0 on both sides
        this.relay = new AuthRelay(client, server, fromClient, new AuthPackets(-1), exchange, tls.crypto(), this);
    }

    /**
     * Sends the command to the server.
     *
     * @param challenge of the server's greeting
     */
    void begin(AuthResponse command, byte[] challenge) {
        relay.begin(command.plugin(), challenge, command.bytes(), command::with);
    }

    /** @param bytes transferred */
    void fromClient(ByteBuf bytes) {
        relay.fromClient(bytes);
    }

    /** @param bytes transferred */
    void fromServer(ByteBuf bytes) {
        relay.fromServer(bytes);
    }

    int waiting() {
        return relay.waiting();
    }

    boolean serverBetweenPackets() {
        return relay.serverBetweenPackets();
    }

    int nextSequence() {
        return fromClient.nextSequence();
    }

    /** The client's bytes after the exchange, transferred; null for none. */
    @Nullable
    ByteBuf restOfClient() {
        return relay.restOfClient();
    }

    /** The server's bytes after the exchange, transferred; null for none. */
    @Nullable
    ByteBuf restOfServer() {
        return relay.restOfServer();
    }

    void release() {
        relay.release();
    }

    @Override
    public void accepted(byte[] ok) {
        ChannelWrites.writeAndFlush(client, fromClient.frame(ok));
        owner.userChanged(ok);
    }

    @Override
    public void denied(byte[] error) {
        ChannelWrites.writeAndFlush(client, fromClient.frame(error));
        owner.userChanged(error);
    }

    @Override
    public void serverFailed(String what) {
        owner.serverLost(DisconnectReason.BACKEND_PROTOCOL, what);
    }

    @Override
    public void clientFailed(String what) {
        session.end(DisconnectReason.CLIENT_PROTOCOL, what, AuthRelay.clientError(fromClient, what));
    }
}
