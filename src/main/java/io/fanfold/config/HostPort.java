package io.fanfold.config;

/**
 * An address, written as {@code host:port}, with brackets around an IPv6 address.
 *
 * @param host name or address without brackets
 * @param port 0 to 65535
 */
public record HostPort(String host, int port) {
    private static final String EXPECTED = " (expected: host:port, with a port of 0..65535)";

    /** @throws IllegalArgumentException if the text does not have that form; the message names the expected form */
    public static HostPort parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        String bare = bracketed ? host.substring(1, host.length() - 1) : host;
        String digits = text.substring(colon + 1);
        boolean number =
                !digits.isEmpty() && digits.length() <= 5 && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        if (bare.isEmpty() || bare.contains(":") != bracketed || !number || Integer.parseInt(digits) > 65_535) {
            throw new IllegalArgumentException("'" + text + "'" + EXPECTED);
        }
        return new HostPort(bare, Integer.parseInt(digits));
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
