package io.fanfold.it.support.server.own;

import io.fanfold.demo.EmbeddedMariaDb;
import io.fanfold.demo.UserAccount;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.ContainerServers;
import io.fanfold.it.support.server.EmbeddedServer;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.testcontainers.containers.GenericContainer;

/** A server for one test, which stops or kills it and starts it again with its data at the same address. */
public abstract sealed class RestartableServer implements AutoCloseable {
    /**
     * Interrupted, shutdown in progress, connection lost or refused: errors that a client of the server can get while it
     * ends.
     */
    public static final Set<Integer> ERRORS = Set.of(1053, 1077, 1079, 1158, 1317, 1927);

    /** Shuts the server down and starts it again. Returns when it accepts connections, or soon will. */
    public abstract void restart() throws Exception;

    /** Like {@link #restart}, but kills the server's process. */
    public abstract void crash() throws Exception;

    public abstract TestServer server();

    @Override
    public abstract void close() throws IOException;

    /**
     * Starts a server of the same product: MySQL in a container, MariaDB from the binaries of the demo.
     *
     * @param data an empty folder for MariaDB
     */
    public static RestartableServer like(TestServer other, Path data) throws Exception {
        return switch (other.kind()) {
            case MYSQL -> new InContainer(other.name());
            case MARIADB -> new Embedded(other, data);
        };
    }

    private static final class InContainer extends RestartableServer {
        private final GenericContainer<?> container;
        private final TestServer server;

        InContainer(ServerName name) throws IOException {
            int port;
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = free.getLocalPort();
            }
            // its data are on a disk and its port is fixed, because both would otherwise be lost when it stops
            container = ContainerServers.mysqlContainer("--server-id=5", "--innodb-buffer-pool-size=128M")
                    .withTmpFs(Map.of());
            container.setPortBindings(List.of(port + ":3306"));
            server = ContainerServers.start(name, container);
        }

        @Override
        public TestServer server() {
            return server;
        }

        @Override
        public void restart() {
            container
                    .getDockerClient()
                    .restartContainerCmd(container.getContainerId())
                    .withTimeout(30)
                    .exec();
        }

        @Override
        public void crash() {
            container
                    .getDockerClient()
                    .killContainerCmd(container.getContainerId())
                    .withSignal("KILL")
                    .exec();
            container
                    .getDockerClient()
                    .restartContainerCmd(container.getContainerId())
                    .exec();
        }

        @Override
        public void close() {
            container.stop();
        }
    }

    private static final class Embedded extends RestartableServer {
        private final EmbeddedMariaDb.Options options;
        private final TestServer server;
        private EmbeddedMariaDb running;

        Embedded(TestServer other, Path data) throws IOException, InterruptedException {
            List<UserAccount> accounts = List.of(
                    UserAccount.administrator(other.adminUser(), other.adminPassword()),
                    UserAccount.administrator(ProxiedServer.WORKER, ProxiedServer.WORKER_PASSWORD));
            List<String> settings = List.of(
                    "--log-bin=binlog", "--binlog-format=ROW", "--server-id=6", "--innodb-buffer-pool-size=128M");
            running = EmbeddedMariaDb.start(options(data, 0, accounts, settings));
            options = options(data, running.port(), accounts, settings);
            server = new TestServer(
                    other.name(),
                    other.kind(),
                    running.host(),
                    running.port(),
                    other.adminUser(),
                    other.adminPassword());
        }

        private static EmbeddedMariaDb.Options options(
                Path data, int port, List<UserAccount> accounts, List<String> settings) throws IOException {
            return new EmbeddedMariaDb.Options(EmbeddedServer.binaries(), data, port, accounts, settings);
        }

        @Override
        public TestServer server() {
            return server;
        }

        @Override
        public void restart() throws IOException, InterruptedException {
            running.close();
            running = EmbeddedMariaDb.start(options);
        }

        @Override
        public void crash() throws IOException, InterruptedException {
            ProcessHandle.of(running.pid()).ifPresent(ProcessHandle::destroyForcibly);
            restart();
        }

        @Override
        public void close() {
            running.close();
        }
    }
}
