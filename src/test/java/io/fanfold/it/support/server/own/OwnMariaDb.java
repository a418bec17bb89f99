package io.fanfold.it.support.server.own;

import io.fanfold.demo.EmbeddedMariaDb;
import io.fanfold.demo.UserAccount;
import io.fanfold.it.support.server.EmbeddedServer;
import io.fanfold.it.support.server.TestServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A MariaDB from the binaries of the demo for one test, without a binary log unless an option switches it on. */
public final class OwnMariaDb implements AutoCloseable {
    private final EmbeddedMariaDb running;
    private final TestServer server;

    private OwnMariaDb(EmbeddedMariaDb running, TestServer server) {
        this.running = running;
        this.server = server;
    }

    /**
     * Starts a server.
     *
     * @param like the server whose name and administrator it has
     * @param data an empty or missing folder
     */
    public static OwnMariaDb start(TestServer like, Path data, String... options)
            throws IOException, InterruptedException {
        EmbeddedMariaDb running = EmbeddedMariaDb.start(new EmbeddedMariaDb.Options(
                EmbeddedServer.binaries(),
                data,
                0,
                List.of(UserAccount.administrator(like.adminUser(), like.adminPassword())),
                Stream.concat(EmbeddedServer.WITHOUT_SYNC.stream(), Stream.of(options))
                        .toList()));
        TestServer server = new TestServer(
                like.name(), like.kind(), running.host(), running.port(), like.adminUser(), like.adminPassword());
        return new OwnMariaDb(running, server);
    }

    public TestServer server() {
        return server;
    }

    @Override
    public void close() {
        running.close();
    }
}
