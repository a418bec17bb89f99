package io.fanfold.http;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * One condition for serving clients.
 *
 * @param name a word
 * @param failing returns why it is not met; empty if it is. May wait for some seconds. Thread-safe
 */
public record HealthCheck(String name, Supplier<Optional<String>> failing) {
    Optional<String> failure() {
        return failing.get();
    }
}
