package io.fanfold.observe;

import io.fanfold.config.Secret;

/**
 * The account of a client.
 *
 * @param user its name
 * @param password may be empty
 */
public record Account(String user, Secret password) {}
