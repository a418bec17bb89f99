package io.fanfold.http;

import io.fanfold.config.HttpConfig;
import io.fanfold.config.Secret;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;

/**
 * Who may ask. With a token or an authority of client certificates, everybody needs the token or a certificate, except
 * for routes that are open to this machine. With neither, the port listens on a loopback address only, and the request
 * must name such an address as its host: otherwise a page in a browser on this machine could read the answers under a
 * host name of its own (DNS rebinding). Thread-safe.
 */
final class AccessRule {
    private static final String SCHEME = "Bearer ";

    private final Secret token;
    private final boolean certificates;

    /**
     * @param token empty if there is none
     * @param certificates whether the port asks for client certificates
     */
    AccessRule(Secret token, boolean certificates) {
        this.token = token;
        this.certificates = certificates;
    }

    /**
     * Returns the answer to a request that is refused; empty if it is allowed.
     *
     * @param openToThisMachine see {@link Route#openToThisMachine}
     * @param openToAll see {@link Route#openToAll}
     */
    Optional<RouteResponse> refusal(RouteRequest request, boolean openToThisMachine, boolean openToAll) {
        if (token.isEmpty() && !certificates) {
            return namesThisMachine(request)
                    ? Optional.empty()
                    : Optional.of(RouteResponse.text(
                            403, "without a token, only requests to localhost or a loopback address are answered"));
        }
        if (openToAll || request.certified() || openToThisMachine && request.local() && namesThisMachine(request)) {
            return Optional.empty();
        }
        if (token.isEmpty()) {
            return Optional.of(RouteResponse.text(403, "a client certificate is needed"));
        }
        return request.header("authorization").filter(this::isToken).isPresent()
                ? Optional.empty()
                : Optional.of(RouteResponse.text(401, "a token is needed (expected: Authorization: Bearer TOKEN)")
                        .with("WWW-Authenticate", "Bearer realm=\"fanfold\""));
    }

    /** Takes a time that does not depend on how much of the text is right. */
    private boolean isToken(String authorization) {
        if (!authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return false;
        }
        byte[] given = authorization.substring(SCHEME.length()).trim().getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(given, token.reveal().getBytes(StandardCharsets.UTF_8));
    }

    /** Whether the request names no host, as in HTTP/1.0, or a loopback address. */
    private static boolean namesThisMachine(RouteRequest request) {
        return request.header("host")
                .map(AccessRule::host)
                .map(HttpConfig::isLoopback)
                .orElse(true);
    }

    /** Returns the host without the port and without the brackets of an IPv6 address. */
    private static String host(String header) {
        int colon = header.lastIndexOf(':');
        boolean port = colon > header.lastIndexOf(']');
        String host = port ? header.substring(0, colon) : header;
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }
}
