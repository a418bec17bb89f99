package io.fanfold.session.channel;

import io.fanfold.client.KeepAlive;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** The options of {@link KeepAlive} for channels of clients and of the server. */
public final class ChannelKeepAlive {
    private ChannelKeepAlive() {}

    /**
     * Returns the options that this platform supports.
     *
     * @param transport of the channels
     * @param idle see {@link KeepAlive#times}
     * @throws UncheckedIOException if no socket can be opened
     */
    public static Map<ChannelOption<Integer>, Integer> times(Transport transport, Duration idle) {
        Map<ChannelOption<Integer>, Integer> options = new LinkedHashMap<>();
        try (SocketChannel any = SocketChannel.open()) {
            KeepAlive.times(idle, any.supportedOptions())
                    .forEach((option, value) -> options.put(transport.option(option), value));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return options;
    }
}
