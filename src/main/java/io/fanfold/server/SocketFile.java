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
    /** What a file is, in its mode, and what a socket's file is there. */
    private static final int TYPE = 0170000;

    private static final int SOCKET = 0140000;

    /**
     * Removes a socket that a process has left behind.
     *
     * @throws IOException when a process listens there, or the file is none of a socket
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

    /** Does not wait: whoever has no room for another client listens. */
    private boolean isListenedTo() throws IOException {
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.configureBlocking(false);
            probe.connect(UnixDomainSocketAddress.of(path));
            return true;
        } catch (ConnectException e) {
            return false;
        }
    }

    /** Lets every user of this machine connect, as servers do: who may do what is decided by the login. */
    void openToAll() throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
    }
}
