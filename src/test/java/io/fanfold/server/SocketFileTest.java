package io.fanfold.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SocketFileTest {
    @TempDir
    Path folder = Path.of("");

    private Path path() {
        return folder.resolve("s");
    }

    private ServerSocketChannel listen(int backlog) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(path()), backlog);
        return listener;
    }

    @Test
    void aPlaceWithoutAFileIsFree() throws Exception {
        assertThat(new SocketFile(path()).requireSocketOrNothing()).isFalse();
    }

    @Test
    void aSocketThatNobodyListensToIsFree() throws Exception {
        listen(1).close();
        SocketFile file = new SocketFile(path());
        assertThat(file.requireSocketOrNothing()).isTrue();
        file.requireNoListener();
    }

    @Test
    void aSocketThatIsListenedToIsNotFree() throws Exception {
        try (ServerSocketChannel listener = listen(1)) {
            assertThat(listener.isOpen()).isTrue();
            assertThatIOException()
                    .isThrownBy(() -> new SocketFile(path()).requireNoListener())
                    .withMessage("another process listens there");
        }
        assertThat(path()).exists();
    }

    /** A process that is too busy to accept a client still listens. */
    @Test
    void aSocketWithoutRoomForAnotherClientIsNotFree() throws Exception {
        List<SocketChannel> waiting = new ArrayList<>();
        try (ServerSocketChannel listener = listen(1)) {
            assertThat(listener.isOpen()).isTrue();
            boolean full = false;
            while (!full) {
                SocketChannel next = SocketChannel.open(StandardProtocolFamily.UNIX);
                waiting.add(next);
                next.configureBlocking(false);
                try {
                    full = !next.connect(UnixDomainSocketAddress.of(path()));
                } catch (IOException e) {
                    full = true;
                }
            }
            assertThatIOException().isThrownBy(() -> new SocketFile(path()).requireNoListener());
            assertThat(path()).exists();
        } finally {
            for (SocketChannel each : waiting) {
                each.close();
            }
        }
    }

    @Test
    void aFileThatIsNoSocketIsKept() throws Exception {
        Files.writeString(path(), "precious");
        isKept();
        Files.delete(path());
        Files.createDirectory(path());
        isKept();
        Files.delete(path());
        Files.createSymbolicLink(path(), folder.resolve("nowhere"));
        isKept();
        Files.delete(path());
        // a connection to a FIFO is refused like a connection to a socket without a listener
        assertThat(new ProcessBuilder("mkfifo", path().toString()).start().waitFor())
                .isZero();
        isKept();
    }

    private void isKept() {
        assertThatIOException()
                .isThrownBy(() -> new SocketFile(path()).requireSocketOrNothing())
                .withMessage("the file exists and is not a socket");
        assertThat(Files.exists(path(), LinkOption.NOFOLLOW_LINKS)).isTrue();
    }

    @Test
    void aFileThatAnotherProcessHasReplacedIsNotDeleted() throws Exception {
        SocketFile file = new SocketFile(path());
        try (ServerSocketChannel listener = listen(1)) {
            assertThat(listener.isOpen()).isTrue();
            Object before = file.identity();
            SocketFile neighbor = file.neighbor();
            assertThat(neighbor.path()).doesNotExist();
            assertThat(neighbor.path().getParent()).isEqualTo(folder);
            try (ServerSocketChannel next = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                next.bind(UnixDomainSocketAddress.of(neighbor.path()));
                Object after = neighbor.identity();
                neighbor.replace(file);
                assertThat(neighbor.path()).doesNotExist();
                file.deleteIfStill(before);
                assertThat(path()).exists();
                file.deleteIfStill(after);
                assertThat(path()).doesNotExist();
            }
        }
        file.deleteIfStill(file);
    }

    @Test
    void everyUserMayConnect() throws Exception {
        try (ServerSocketChannel listener = listen(1)) {
            assertThat(listener.isOpen()).isTrue();
            new SocketFile(path()).openToAll();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
                    .isEqualTo("rwxrwxrwx");
        }
    }
}
