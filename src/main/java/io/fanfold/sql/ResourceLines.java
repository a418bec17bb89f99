package io.fanfold.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Reads the resources of this package. It is a class of its own because two classes that need each other's constants
 * would see them unset. Stateless.
 */
final class ResourceLines {
    private ResourceLines() {}

    /** Returns the lines of a resource without comments and blank lines. */
    static List<String> of(String resource) {
        try (InputStream in = ResourceLines.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("resource " + resource + " is missing from the build");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read resource " + resource, e);
        }
    }
}
