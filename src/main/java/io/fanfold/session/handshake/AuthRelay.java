package io.fanfold.session.handshake;

import io.fanfold.session.channel.ChannelWrites;
import io.fanfold.session.channel.PlainCause;
import io.fanfold.session.channel.ProxyError;
import io.fanfold.session.handshake.PasswordExchange.ExchangeStep;
import io.fanfold.wire.ProtocolException;
import io.fanfold.wire.ServerPacket;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Relays the packets of an authentication until the server sends OK or an error. The two sides have separate sequence
 * ids, since encryption takes an additional packet on one of them, and the steps of a password exchange may differ.
 * Bytes that the client sends before its turn wait. Event loop only.
 */
public final class AuthRelay {
    private static final Logger LOG = LoggerFactory.getLogger(AuthRelay.class);

    /** Receives the end of the exchange; one method is called, once. */
    public interface Ending {
        /** The server accepted the client; the packet must be sent to the client. */
        void accepted(byte[] ok);

        /** The server refused the client; the packet must be sent to the client. */
        void denied(byte[] error);

        /** The server did not follow the protocol. */
        void serverFailed(String what);

        /**
         * The client did not follow the protocol, or its password could not be relayed; see
         * {@link AuthRelay#clientError}.
         */
        void clientFailed(String what);
    }

    private final Channel client;
    private final Channel server;
    private final AuthPackets fromClient;
    private final AuthPackets fromServer;
    private final PasswordExchange exchange;
    private final Executor crypto;
    private final Ending ending;

    /** Builds the first packet to the server; null once it is sent. */
    private @Nullable Opening opening;

    private boolean clientsTurn;
    private boolean working;
    private boolean ended;

    /** Inserts the plugin's first answer into the client's packet. */
    public interface Opening {
        byte[] with(byte[] answer) throws ProtocolException;
    }

    /**
     * @param fromClient read up to and including the packet with the first answer; released by this
     * @param fromServer read up to the packet that is answered; released by this
     */
    public AuthRelay(
            Channel client,
            Channel server,
            AuthPackets fromClient,
            AuthPackets fromServer,
            PasswordExchange exchange,
            Executor crypto,
            Ending ending) {
        this.client = client;
        this.server = server;
        this.fromClient = fromClient;
        this.fromServer = fromServer;
        this.exchange = exchange;
        this.crypto = crypto;
        this.ending = ending;
    }

    /**
     * Begins with the client's first answer.
     *
     * @param plugin that created the answer
     * @param challenge of the server's greeting
     */
    public void begin(String plugin, byte[] challenge, byte[] answer, Opening first) {
        opening = first;
        perform(exchange.begin(plugin, challenge, answer));
    }

    /** @param bytes transferred */
    public void fromClient(ByteBuf bytes) {
        fromClient.add(client.alloc(), bytes);
        go();
    }

    /** @param bytes transferred */
    public void fromServer(ByteBuf bytes) {
        fromServer.add(server.alloc(), bytes);
        go();
    }

    /** The number of the client's bytes that wait. */
    public int waiting() {
        return fromClient.waiting();
    }

    public boolean serverBetweenPackets() {
        return fromServer.betweenPackets();
    }

    /** Reads packets as far as possible now. */
    private void go() {
        boolean read = true;
        while (read && !ended && !working) {
            read = readServer() || readClient();
        }
    }

    private boolean readServer() {
        try {
            byte[] payload = fromServer.next();
            if (payload == null) {
                return false;
            }
            int first = payload.length == 0 ? -1 : payload[0] & 0xff;
            if (first == ServerPacket.ERROR) {
                ended = true;
                ending.denied(payload);
            } else if (first == ServerPacket.OK && opening == null) {
                ended = true;
                ending.accepted(payload);
            } else {
                perform(exchange.fromServer(payload));
            }
            return true;
        } catch (ProtocolException e) {
            ended = true;
            ending.serverFailed(PlainCause.text(e));
            return false;
        }
    }

    private boolean readClient() {
        if (!clientsTurn) {
            return false;
        }
        try {
            byte[] payload = fromClient.next();
            if (payload == null) {
                return false;
            }
            clientsTurn = false;
            perform(exchange.fromClient(payload));
            return true;
        } catch (ProtocolException e) {
            refuse(PlainCause.text(e));
            return false;
        }
    }

    private void perform(ExchangeStep step) {
        if (step instanceof ExchangeStep.ToClient packet) {
            clientsTurn = packet.turn();
            ChannelWrites.writeAndFlush(client, fromClient.frame(packet.payload()));
        } else if (step instanceof ExchangeStep.ToServer packet) {
            toServer(packet.payload());
        } else if (step instanceof ExchangeStep.Later later) {
            workOn(later.work());
        } else if (step instanceof ExchangeStep.Refuse refusal) {
            refuse(refusal.why());
        }
    }

    private void toServer(byte[] payload) {
        Opening first = opening;
        opening = null;
        try {
            ChannelWrites.writeAndFlush(server, fromServer.frame(first == null ? payload : first.with(payload)));
        } catch (ProtocolException e) {
            refuse(PlainCause.text(e));
        }
    }

    private void workOn(Callable<ExchangeStep> work) {
        working = true;
        Consumer<ExchangeStep> go = next -> {
            working = false;
            if (!ended) {
                perform(next);
                go();
            }
        };
        try {
            crypto.execute(() -> {
                ExchangeStep next = result(work);
                client.eventLoop().execute(() -> go.accept(next));
            });
        } catch (RuntimeException | OutOfMemoryError e) {
            // rejected, or no thread can be created
            LOG.debug("no thread to encrypt or decrypt a password", e);
            refuse("the proxy cannot start a thread to encrypt or decrypt the password: " + e.getMessage());
        }
    }

    private static ExchangeStep result(Callable<ExchangeStep> work) {
        try {
            return work.call();
        } catch (Exception e) {
            return new ExchangeStep.Refuse("the proxy cannot use its RSA key for the password: " + PlainCause.text(e));
        }
    }

    private void refuse(String what) {
        ended = true;
        ending.clientFailed(what);
    }

    /** Returns the error packet for a client that did not follow the protocol. */
    public static ByteBuf clientError(AuthPackets packets, String what) {
        return packets.frame(
                packets.disordered()
                        ? ProxyError.NET_PACKETS_OUT_OF_ORDER.payload("Got packets out of order: " + what)
                        : ProxyError.HANDSHAKE_ERROR.payload("Bad handshake: " + what));
    }

    /** The client's bytes after the authentication, transferred; null for none. */
    @Nullable
    public ByteBuf restOfClient() {
        return fromClient.rest();
    }

    /** The server's bytes after the authentication, transferred; null for none. */
    @Nullable
    public ByteBuf restOfServer() {
        return fromServer.rest();
    }

    /** Stops relaying and releases the buffered bytes. */
    public void release() {
        ended = true;
        fromClient.release();
        fromServer.release();
    }
}
