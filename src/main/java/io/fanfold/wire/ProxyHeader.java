package io.fanfold.wire;

import java.net.InetSocketAddress;

/**
 * The PROXY protocol header that a proxy may send before a client's first packet, to name its client. Versions 1 (text)
 * and 2 (binary).
 *
 * @see <a href="https://www.haproxy.org/download/2.6/doc/proxy-protocol.txt">PROXY protocol</a>
 */
public sealed interface ProxyHeader {
    /**
     * The proxy connects for a client.
     *
     * @param source the source address of the client's connection; resolved
     * @param destination its destination address, at this proxy or an earlier one; resolved
     */
    record Client(InetSocketAddress source, InetSocketAddress destination) implements ProxyHeader {}

    /** The proxy connects for itself, or names no client. */
    record Unknown() implements ProxyHeader {}
}
