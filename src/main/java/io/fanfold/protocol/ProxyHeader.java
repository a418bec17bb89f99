package io.fanfold.protocol;

import java.net.InetSocketAddress;

/**
 * What a proxy may send before a client's first packet: who its client is. Versions 1 (text) and 2 (binary).
 *
 * @see <a href="https://www.haproxy.org/download/2.6/doc/proxy-protocol.txt">PROXY protocol</a>
 */
public sealed interface ProxyHeader {
    /**
     * The proxy speaks for a client.
     *
     * @param source where the client's connection begins; resolved
     * @param destination where it ends, at the proxy that wrote the header or before it; resolved
     */
    record Client(InetSocketAddress source, InetSocketAddress destination) implements ProxyHeader {}

    /** The proxy speaks for itself, or does not say for whom. */
    record Unknown() implements ProxyHeader {}
}
