package io.fanfold.session.channel;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.HostPort;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;

/** The server to which a channel leads, as configured: new connections may go to another one by now. Stateless. */
public final class BackendAddress {
    private static final AttributeKey<BackendConfig> KEY = AttributeKey.valueOf("backend.address");

    private BackendAddress() {}

    /** Notes the server of a channel that has been connected. */
    public static void set(Channel channel, BackendConfig server) {
        channel.attr(KEY).set(server);
    }

    /** Returns the address of what {@link #set} noted. */
    public static HostPort of(Channel channel) {
        return channel.attr(KEY).get().address();
    }
}
