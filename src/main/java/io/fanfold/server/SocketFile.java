package io.fanfold.server;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file of a Unix domain socket. */
record SocketFile(Path path) {
    /** The bits of the file type in a file's mode. */
    private static final int TYPE = 0170000;

    private static final int SOCKET = 0140000;
    private static final Logger LOG = LoggerFactory.getLogger(SocketFile.class);

    /** @throws IOException if a process listens on the socket */
    void requireNoListener() throws IOException {
        if (isListenedTo()) {
            throw new IOException("another process listens there");
        }
    }

    /**
     * Returns whether there is a socket.
     *
     * @throws IOException if there is a file that is not a socket
     */
    boolean requireSocketOrNothing() throws IOException {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            throw new IOException("this system has no Unix domain sockets");
        }
        try {
            int mode = (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            if ((mode & TYPE) != SOCKET) {
                throw new IOException("the file exists and is not a socket");
            }
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Returns an unused name in the same folder, short, since the names of sockets may have 107 bytes at most. */
    SocketFile neighbor() {
        String name = "." + Integer.toString(new SecureRandom().nextInt(Integer.MAX_VALUE), Character.MAX_RADIX);
        return new SocketFile(path.resolveSibling(name));
    }

    /** Renames this file to the other one, which is replaced in the same moment. */
    void replace(SocketFile other) throws IOException {
        Files.move(path, other.path(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Returns what stays the same when the file is renamed, and differs for any other file. */
    Object identity() throws IOException {
        return Objects.requireNonNull(Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey());
    }

    /** Deletes the file, unless another process has replaced it. */
    void deleteIfStill(Object identity) {
        try {
            if (identity().equals(identity)) {
                Files.delete(path);
            }
        } catch (NoSuchFileException e) {
            LOG.debug("{} is already deleted", path);
        } catch (IOException e) {
            LOG.warn("{} cannot be deleted: {}", path, e.toString());
        }
    }

    /** Whether a process listens. Does not block: a process that has no room for another client listens too. */
    private boolean isListenedTo() throws IOException {
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.configureBlocking(false);
            probe.connect(UnixDomainSocketAddress.of(path));
            return true;
        } catch (ConnectException e) {
            return false;
        }
    }

    /** Lets every user of this machine connect, as database servers do: the login decides about rights. */
    void openToAll() throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
    }
}
