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
import java.nio.file.attribute.PosixFilePermissions;

/** The file of a Unix domain socket. */
record SocketFile(Path path) {
    /** The bits of the file type in a file's mode. */
    private static final int TYPE = 0170000;

    private static final int SOCKET = 0140000;

    /**
     * Removes a socket that an ended process has left.
     *
     * @throws IOException if a process listens on it, or the file is not a socket
     */
    void makeRoom() throws IOException {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            throw new IOException("this system has no Unix domain sockets");
        }
        try {
            int mode = (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            if ((mode & TYPE) != SOCKET) {
                throw new IOException("the file exists and is not a socket");
            }
        } catch (NoSuchFileException e) {
            return;
        }
        if (isListenedTo()) {
            throw new IOException("another process listens there");
        }
        Files.delete(path);
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
