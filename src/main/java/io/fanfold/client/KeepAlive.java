package io.fanfold.client;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;

/**
 * Sets the socket options with which the kernel detects that the peer of a silent connection is gone. After the idle
 * time it sends three probes, a few seconds apart. Platforms without the options use their own times, usually two
 * hours.
 */
public final class KeepAlive {
    private static final int MOST_SECONDS_BETWEEN = 10;
    private static final int PROBES = 3;

    private KeepAlive() {}

    /**
     * Returns the options, which must be set in this order.
     *
     * @param idle how long a connection is silent before the first probe, rounded up to whole seconds; zero for the
     *     platform's own times
     * @param supported the options of this kind of socket
     */
    public static Map<SocketOption<Integer>, Integer> times(Duration idle, Set<SocketOption<?>> supported) {
        int seconds = Math.toIntExact(idle.plusMillis(999).toSeconds());
        Map<SocketOption<Integer>, Integer> times = new LinkedHashMap<>();
        if (seconds > 0) {
            times.put(ExtendedSocketOptions.TCP_KEEPIDLE, seconds);
            times.put(ExtendedSocketOptions.TCP_KEEPINTERVAL, Math.min(seconds, MOST_SECONDS_BETWEEN));
            times.put(ExtendedSocketOptions.TCP_KEEPCOUNT, PROBES);
        }
        times.keySet().retainAll(supported);
        return times;
    }

    static void set(Socket socket, Duration idle) throws IOException {
        socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        for (Map.Entry<SocketOption<Integer>, Integer> time :
                times(idle, socket.supportedOptions()).entrySet()) {
            socket.setOption(time.getKey(), time.getValue());
        }
    }
}
