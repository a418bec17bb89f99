package io.fanfold.cli;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HostPort;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Refuses settings whose server is the proxy itself. Each client would make it connect to itself until there are no
 * file handles left.
 */
final class OwnAddress {
    private OwnAddress() {}

    /**
     * Compares the addresses if the ports are equal. An unknown host name is not an error here.
     *
     * @throws LoopException if they are the same
     */
    static void refuse(FanfoldConfig config) {
        config.backend().addresses().forEach(server -> refuse(server, config));
    }

    private static void refuse(HostPort backend, FanfoldConfig config) {
        int port = config.listener().port();
        if (port != backend.port() || port == 0) {
            return;
        }
        List<InetAddress> listener = addresses(config.listener().host());
        for (InetAddress server : addresses(backend.host())) {
            if (listener.stream().anyMatch(own -> reaches(server, own))) {
                throw new LoopException("backend " + backend
                        + " leads to Fanfold's own listener, "
                        + new HostPort(config.listener().host(), port)
                        + " (expected: the address of a MySQL or MariaDB server)");
            }
        }
    }

    /** Whether a connection to one address reaches a listener on the other. */
    static boolean reaches(InetAddress server, InetAddress listener) {
        if (server.equals(listener)) {
            return true;
        }
        if (server.isAnyLocalAddress()) {
            // a connection to 0.0.0.0 reaches the loopback address
            return listener.isLoopbackAddress() || listener.isAnyLocalAddress();
        }
        return listener.isAnyLocalAddress() && (server.isLoopbackAddress() || isOwn(server));
    }

    private static boolean isOwn(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    private static List<InetAddress> addresses(String host) {
        try {
            return List.of(InetAddress.getAllByName(host));
        } catch (UnknownHostException e) {
            return List.of();
        }
    }

    /** The settings would make the proxy connect to itself. */
    static final class LoopException extends RuntimeException {
        private static final long serialVersionUID = 1;

        LoopException(String message) {
            super(message);
        }
    }
}
