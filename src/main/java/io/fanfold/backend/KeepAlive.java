package io.fanfold.backend;

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
 * The socket options by which the kernel finds out that the other side of a silent connection is gone: after the idle time it
 * asks, three times, a few seconds apart. Where a platform lacks the options its own times hold, of two hours mostly.
 */
public final class KeepAlive {
    private static final int MOST_SECONDS_BETWEEN = 10;
    private static final int PROBES = 3;

    private KeepAlive() {}

    /**
     * The options, to be set in this order.
     *
     * @param idle how long a connection is silent before the other side is asked; in whole seconds, more are made of a part of
     *     one; zero for the platform's own times
     * @param supported what the kind of socket has
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
