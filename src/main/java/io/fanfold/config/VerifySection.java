package io.fanfold.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reads the group {@code verify}. */
final class VerifySection {
    private static final Duration LEAST_TIME = Duration.ofMillis(100);
    private static final Duration MOST_TIME = Duration.ofHours(1);

    private VerifySection() {}

    /**
     * The group {@code verify}.
     *
     * @param share see {@link FanOutConfig#verifyShare}
     */
    record Verified(double share, VerifyConfig rest) {}

    /** @param directory the base of relative paths; null for the working directory */
    static Verified verify(Section section, @Nullable Path directory) {
        VerifyConfig base = VerifyConfig.defaults();
        return new Verified(
                section.share("share", FanOutConfig.defaults().verifyShare()),
                new VerifyConfig(
                        section.integer("connections", base.connections(), 1, VerifyConfig.MOST_CONNECTIONS),
                        section.duration("time", base.time(), LEAST_TIME, MOST_TIME),
                        directory(section, directory),
                        section.flag("literals", base.literals())));
    }

    private static @Nullable Path directory(Section section, @Nullable Path base) {
        Path path = TlsSections.path(section, "directory", base);
        if (path != null && !Files.isDirectory(path)) {
            section.mistake("directory", "'" + path + "'", "a directory that exists");
        }
        return path;
    }
}
