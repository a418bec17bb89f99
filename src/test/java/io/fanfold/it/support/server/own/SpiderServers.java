package io.fanfold.it.support.server.own;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.ContainerServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import java.util.ArrayList;
import java.util.List;
import org.testcontainers.containers.GenericContainer;

/**
 * MariaDB with Spider, the head, and the servers of its partitions, the backends {@code b1}, {@code b2} and so on. All have
 * the database {@code it_spider}.
 */
public final class SpiderServers implements AutoCloseable {
    public static final String SCHEMA = "it_spider";

    /** {@code -Dfanfold.it.spider.backends=2} */
    public static final int BACKENDS = Integer.getInteger("fanfold.it.spider.backends", 3);

    private static final int TABLES_EACH = 2;

    /** The partitions of a table. Each is a table of its own on a backend. */
    public static final int PARTITIONS = BACKENDS * TABLES_EACH;

    private static final String ACCOUNT = "spider_it";
    private static final String PASSWORD = "spider";

    private final List<GenericContainer<?>> containers = new ArrayList<>();
    private final List<TestServer> backends = new ArrayList<>();
    private final TestServer head;

    private SpiderServers() throws Exception {
        for (int i = 0; i < BACKENDS; i++) {
            // a snapshot needs another isolation level, and Spider sets it, and the time zone
            backends.add(start(
                    "--server-id=" + (21 + i), "--transaction-isolation=READ-COMMITTED", "--default-time-zone=+05:00"));
            on(
                    backends.get(i),
                    "CREATE DATABASE " + SCHEMA,
                    "CREATE USER " + ACCOUNT + " IDENTIFIED BY '" + PASSWORD + "'",
                    "GRANT ALL ON *.* TO " + ACCOUNT);
        }
        head = newHead(20);
    }

    public static SpiderServers start() throws Exception {
        return new SpiderServers();
    }

    /** Starts a further head with an empty database. */
    public TestServer newHead(int id) throws Exception {
        TestServer server = start("--server-id=" + id, "--plugin-load-add=ha_spider");
        on(server, "CREATE DATABASE " + SCHEMA);
        for (int i = 0; i < BACKENDS; i++) {
            on(
                    server,
                    "CREATE SERVER b" + (i + 1) + " FOREIGN DATA WRAPPER mysql OPTIONS (HOST '" + address(i)
                            + "', PORT 3306, DATABASE '" + SCHEMA + "', USER '" + ACCOUNT + "', PASSWORD '" + PASSWORD
                            + "')");
        }
        return server;
    }

    /** Returns the server that applications use. */
    public TestServer head() {
        return head;
    }

    /** Returns the servers with the rows, b1 first. */
    public List<TestServer> backends() {
        return List.copyOf(backends);
    }

    /** Ends a backend at once, as a crash does. Another test needs servers of its own then. */
    public void kill(int backend) {
        GenericContainer<?> container = containers.get(backend);
        container.getDockerClient().killContainerCmd(container.getContainerId()).exec();
    }

    /**
     * Creates a Spider table, partitioned by id, whose rows are in two tables on each backend.
     *
     * @param columns its columns, among them the primary key id
     */
    public void createTable(TestServer on, String name, String columns) throws Exception {
        StringBuilder partitions = new StringBuilder();
        for (int i = 0; i < PARTITIONS; i++) {
            partitions.append(i == 0 ? "" : ", ").append(partition(name, i));
        }
        on(
                on,
                "CREATE TABLE " + SCHEMA + "." + name + " (" + columns
                        + ") ENGINE=SPIDER DEFAULT CHARSET=utf8mb4 COMMENT='wrapper \"mysql\"' PARTITION BY HASH (id) ("
                        + partitions + ")");
    }

    private static String partition(String table, int number) {
        return "PARTITION p" + number + " COMMENT = 'srv \"b" + (number % BACKENDS + 1) + "\", table \""
                + table + number / BACKENDS
                + "\"'";
    }

    /** Creates the tables of the rows, without any. */
    public void createRemotely(String name, String columns) throws Exception {
        for (TestServer backend : backends) {
            for (int i = 0; i < TABLES_EACH; i++) {
                on(
                        backend,
                        "CREATE TABLE " + SCHEMA + "." + name + i + " (" + columns
                                + ") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4");
            }
        }
    }

    /** Runs statements as the administrator. */
    public static void on(TestServer server, String... statements) throws Exception {
        try (WireConnection admin =
                ProxiedServer.connect(server.host(), server.port(), server.adminUser(), server.adminPassword())) {
            for (String statement : statements) {
                admin.execute(statement);
            }
        }
    }

    private TestServer start(String... options) {
        GenericContainer<?> container = ContainerServers.mariadbContainer(options);
        containers.add(container);
        return ContainerServers.start(ServerName.MARIADB_WITH_PLUGINS, container);
    }

    private String address(int backend) {
        return ContainerServers.addressAmongContainers(containers.get(backend));
    }

    @Override
    public void close() {
        containers.forEach(GenericContainer::stop);
    }
}
