package io.fanfold.http;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A request that was read completely.
 *
 * @param method in upper case; GET instead of HEAD
 * @param path decoded, without the query
 * @param query the decoded parameters
 * @param headers the values by name in lower case; several values of one name are joined by commas
 * @param body empty if there is none
 * @param local whether it comes from this machine, by the loopback interface
 * @param certified whether the client has presented a certificate of an authority that the settings name
 */
public record RouteRequest(
        String method,
        String path,
        Map<String, List<String>> query,
        Map<String, String> headers,
        byte[] body,
        boolean local,
        boolean certified) {
    /** @param name in any case */
    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
    }
}
