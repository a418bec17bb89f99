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
 * Something made of files, made again when one of them has changed. Where that fails the last one holds, until the files have
 * changed once more. {@link #current} is safe for all threads; {@link #look} waits for the file system.
 */
final class WatchedFiles<T> {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedFiles.class);

    /** Makes it of the files as they are now. */
    interface Maker<T> {
        T make() throws TlsException;
    }

    private record Stamp(@Nullable FileTime modified, long size) {}

    private final List<Path> files;
    private final Maker<T> maker;
    private volatile T current;
    private List<Stamp> stamps;

    /** @param files those that are read; null for one that is not used */
    WatchedFiles(Maker<T> maker, @Nullable Path... files) throws TlsException {
        this.files = Stream.of(files).filter(Objects::nonNull).toList();
        this.maker = maker;
        // before they are read: what changes meanwhile is seen at the next look
        this.stamps = stamps();
        this.current = maker.make();
    }

    T current() {
        return current;
    }

    /** Makes it again if a file has changed since the last look. */
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
