package io.fanfold.config;

import io.netty.util.NetUtil;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/**
 * The HTTP port for operators and monitoring systems.
 *
 * @param enabled whether there is one
 * @param host address to bind; a loopback address if neither a token nor a client certificate can be asked for
 * @param port TCP port, 0..65535; 0 selects a free port
 * @param token what requests must present; empty for none
 * @param tls encryption: mode {@code REQUIRED}, or {@code DISABLED} for none; a client's certificate counts as the token
 */
@RecordBuilder
public record HttpConfig(boolean enabled, String host, int port, Secret token, ListenerTlsConfig tls)
        implements HttpConfigBuilder.With {
    /** Not in Prometheus' list of default ports, as of July 2021. */
    private static final int DEFAULT_PORT = 13380;

    /** What {@link #mistake} expects instead. */
    static final String EXPECTED = "http.token-env, http.token-file or http.tls.client-ca as well, or 127.0.0.1";

    private static final ListenerTlsConfig NO_TLS = ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.DISABLED);

    public static HttpConfig defaults() {
        return new HttpConfig(false, "127.0.0.1", DEFAULT_PORT, Secret.EMPTY, NO_TLS);
    }

    /**
     * Returns these settings with the port switched on at an address.
     *
     * @param source names the setting in the message, such as an option of the command line
     * @throws ConfigException if the address needs a token and there is none
     */
    public HttpConfig on(String otherHost, int otherPort, String source) {
        HttpConfig there = withEnabled(true).withHost(otherHost).withPort(otherPort);
        Optional<String> mistake = there.mistake();
        if (mistake.isPresent()) {
            throw new ConfigException(source, mistake.get() + " (expected: " + EXPECTED + ")");
        }
        return there;
    }

    /**
     * Finds an address that other machines can reach without a token or a certificate.
     *
     * @return empty if there is no mistake
     */
    Optional<String> mistake() {
        return !enabled || !token.isEmpty() || tls.clientCa() != null || isLoopback(host)
                ? Optional.empty()
                : Optional.of("'" + host + "' is not a loopback address, and there is neither a token nor a client CA");
    }

    /** Whether a token, or a password for a kill, may cross a network in clear text. */
    public boolean clearText() {
        return !tls.mode().encrypts() && !isLoopback(host);
    }

    /** {@code host:port}, with brackets around an IPv6 address. */
    public String address() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /** Whether a host is localhost or a loopback address. Other names are not resolved: they may change their meaning. */
    public static boolean isLoopback(String host) {
        if (host.equalsIgnoreCase("localhost")) {
            return true;
        }
        byte[] address = NetUtil.createByteArrayFromIpAddressString(host);
        try {
            return address != null && InetAddress.getByAddress(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
