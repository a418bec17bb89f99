package io.fanfold.cli.demo;

import io.fanfold.config.Secret;

/**
 * Where and as whom a client connects.
 *
 * @param host name or address
 * @param port TCP port, 1..65535
 * @param user the account
 * @param password its password, may be empty
 */
public record Endpoint(String host, int port, String user, Secret password) {
    /** The same account at another address. */
    public Endpoint at(String otherHost, int otherPort) {
        return new Endpoint(otherHost, otherPort, user, password);
    }
}
