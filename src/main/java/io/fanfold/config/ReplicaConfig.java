package io.fanfold.config;

/**
 * A replica that worker connections may read. It has the worker account, and is encrypted as the server is.
 *
 * @param host its name or address
 * @param port its TCP port, 1..65535
 * @param weight its share of the fan-outs, relative to those of other replicas, 1..1000
 */
public record ReplicaConfig(String host, int port, int weight) {
    /** The largest valid weight. */
    static final int MOST_WEIGHT = 1000;

    /** The address. */
    public HostPort address() {
        return new HostPort(host, port);
    }

    /** Returns the name that operators see: {@code host:port}, with an IPv6 address in brackets. */
    public String name() {
        return address().toString();
    }

    @Override
    public String toString() {
        return "{host: " + host + ", port: " + port + ", weight: " + weight + "}";
    }
}
