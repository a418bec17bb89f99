package io.fanfold.demo;

import io.fanfold.config.Secret;

/**
 * The address and the account of a client connection.
 *
 * @param host name or address
 * @param port TCP port, 1 to 65535
 * @param user the account
 * @param password its password, may be empty
 */
public record Endpoint(String host, int port, String user, Secret password) {
    /** Returns the same account at another address. */
    public Endpoint at(String otherHost, int otherPort) {
        return new Endpoint(otherHost, otherPort, user, password);
    }
}
