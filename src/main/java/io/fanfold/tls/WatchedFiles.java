package io.fanfold.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An object built from files, and built again when one of them changes. If that fails, the previous object stays in use
 * until the files change again. {@link #current} is safe for use by multiple threads; {@link #look} waits for the file
 * system.
 */
final class WatchedFiles<T> {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedFiles.class);

    /** Builds the object from the current files. */
    interface Maker<T> {
        T make() throws TlsException;
    }

    private record Stamp(@Nullable FileTime modified, long size) {}

    private final List<Path> files;
    private final Maker<T> maker;
    private volatile T current;
    private List<Stamp> stamps;

    /** @param files the files; null elements are ignored */
    WatchedFiles(Maker<T> maker, @Nullable Path... files) throws TlsException {
        this.files = Stream.of(files).filter(Objects::nonNull).toList();
        this.maker = maker;
        // taken before the files are read, so that the next look sees a change made meanwhile
        this.stamps = stamps();
        this.current = maker.make();
    }

    T current() {
        return current;
    }

    /** Builds the object again if a file has changed since the last look. */
    synchronized void look() {
        List<Stamp> now = stamps();
        if (now.equals(stamps)) {
            return;
        }
        stamps = now;
        try {
            current = maker.make();
            LOG.info("certificates were read again: {}", files);
        } catch (TlsException e) {
            LOG.warn("the certificates read before stay in use: {}", e.getMessage());
        } catch (RuntimeException e) {
            // thrown, it would end all further looks
            LOG.error("the certificates read before stay in use", e);
        }
    }

    private List<Stamp> stamps() {
        List<Stamp> found = new ArrayList<>();
        for (Path file : files) {
            try {
                found.add(new Stamp(Files.getLastModifiedTime(file), Files.size(file)));
            } catch (IOException e) {
                found.add(new Stamp(null, 0));
            }
        }
        return found;
    }
}
