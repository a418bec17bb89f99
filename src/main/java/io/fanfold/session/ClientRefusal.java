package io.fanfold.session;

import io.fanfold.session.channel.ClientOrigin;
import io.fanfold.session.channel.LingeringClose;
import io.fanfold.session.channel.ProxyError;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Refuses new clients with an error in place of the greeting. On the channel's event loop. */
public final class ClientRefusal {
    private static final Logger LOG = LoggerFactory.getLogger(ClientRefusal.class);
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private ClientRefusal() {}

    /** There are too many connections. Closes the channel. */
    public static void tooMany(Channel client) {
        refuse(client, "too many connections", ProxyError.CON_COUNT_ERROR.packet(0, "Too many connections"));
    }

    /** The proxy stops. Closes the channel. */
    public static void stopping(Channel client) {
        refuse(client, "the proxy stops", ProxyError.shutdown(0));
    }

    private static void refuse(Channel client, String why, ByteBuf error) {
        LOG.debug("client {} is refused: {}", ClientOrigin.of(client), why);
        LingeringClose.begin(client, error, LONGEST);
    }
}
