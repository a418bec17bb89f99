package io.fanfold.it.support.server;

import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.ContainerNetwork;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.mysql.MySQLContainer;
import org.testcontainers.utility.DockerImageName;

/** Servers in containers. Testcontainers stops them when the JVM ends. */
public final class ContainerServers {
    /** Lets docker/clean.sh find the containers of a killed run, or with -Dfanfold.it.run=… only those of that run. */
    private static final Map<String, String> LABEL =
            Map.of("io.fanfold.test", System.getProperty("fanfold.it.run", "true"));

    /** Thousands of partitions are as many files, which can take minutes to create on disk. */
    private static final Map<String, String> DATA_IN_MEMORY = Map.of("/var/lib/mysql", "rw");

    /** Returns the memory of large packets and sorts to the machine, which many servers share. */
    private static final Map<String, String> LITTLE_MEMORY =
            Map.of("MALLOC_ARENA_MAX", "2", "MALLOC_MMAP_THRESHOLD_", "131072");

    private static final int PORT = 3306;
    private static final String USER = "root";
    private static final String PASSWORD = "secret";

    private static final Map<ServerName, GenericContainer<?>> STARTED = new ConcurrentHashMap<>();

    private ContainerServers() {}

    static TestServer mysql() {
        Optional<TestServer> named = named(ServerName.MYSQL);
        if (named.isPresent()) {
            return named.get();
        }
        return started(
                ServerName.MYSQL,
                mysqlContainer("--server-id=2", "--local-infile=1", "--innodb-buffer-pool-size=256M"));
    }

    static TestServer mysql80() {
        return started(
                ServerName.MYSQL_80,
                mysqlContainer(
                        image("mysql", "fanfold.mysql80.image", "mysql:8.0"),
                        "--server-id=4",
                        "--innodb-buffer-pool-size=256M"));
    }

    /** Returns a MySQL that is not started. */
    public static GenericContainer<?> mysqlContainer(String... options) {
        return mysqlContainer(image("mysql", "fanfold.mysql.image", "mysql:9.7"), options);
    }

    private static GenericContainer<?> mysqlContainer(DockerImageName image, String... options) {
        return new MySQLContainer(image)
                .withUsername(USER)
                .withPassword(PASSWORD)
                .withEnv(LITTLE_MEMORY)
                .withLabels(LABEL)
                .withTmpFs(DATA_IN_MEMORY)
                .withCommand(command(
                        options,
                        "--gtid-mode=ON",
                        "--enforce-gtid-consistency=ON",
                        "--max-allowed-packet=64M",
                        // Durability is not tested.
                        "--innodb-flush-log-at-trx-commit=2",
                        "--sync-binlog=0"));
    }

    static TestServer mariadb1011() {
        return started(
                ServerName.MARIADB_WITH_PLUGINS,
                mariadbContainer(
                        "--server-id=3",
                        "--local-infile=1",
                        "--plugin-load-add=auth_ed25519",
                        "--innodb-buffer-pool-size=128M"));
    }

    /** Starts MariaDB 11, whose start is slow if it creates a key for TLS. */
    static TestServer mariadb11(ServerName name, String version) {
        String property = "fanfold.mariadb" + version.replace(".", "") + ".image";
        return started(
                name,
                mariadbContainer(
                        image("mariadb", property, "mariadb:" + version),
                        "--server-id=5",
                        "--skip-ssl",
                        "--innodb-buffer-pool-size=256M"));
    }

    /**
     * Returns a MariaDB that is not started. It does not use Testcontainers' MariaDB class, which would load a driver
     * of its choice to wait for the start.
     */
    public static GenericContainer<?> mariadbContainer(String... options) {
        return mariadbContainer(image("mariadb", "fanfold.mariadb1011.image", "mariadb:10.11"), options);
    }

    private static GenericContainer<?> mariadbContainer(DockerImageName image, String... options) {
        return new GenericContainer<>(image)
                .withExposedPorts(PORT)
                .withEnv(LITTLE_MEMORY)
                .withEnv("MARIADB_ROOT_PASSWORD", PASSWORD)
                .withLabels(LABEL)
                .withTmpFs(DATA_IN_MEMORY)
                // The line after "ready for connections". The official image first starts a temporary server with port
                // 0.
                .waitingFor(Wait.forLogMessage("Version: .* port: " + PORT + " .*", 1))
                .withCommand(command(options, "--log-bin=binlog", "--innodb-flush-log-at-trx-commit=2"));
    }

    /** Returns a container of another image that is not started, with the label of this run. */
    public static GenericContainer<?> labelled(String image) {
        return new GenericContainer<>(DockerImageName.parse(image)).withLabels(LABEL);
    }

    /** Returns a server that is not started, with only these options; otherwise as its package installs it. */
    public static GenericContainer<?> asInstalled(ServerName name, String... options) {
        GenericContainer<?> container = name.kind() == ServerFlavor.MYSQL ? mysqlContainer() : mariadbContainer();
        container.setCommand(options);
        return container;
    }

    /** Returns a container that is not started, with a server's command-line client and the network of this machine. */
    public static GenericContainer<?> clients(ServerName name) {
        DockerImageName image = name.kind() == ServerFlavor.MYSQL
                ? image("mysql", "fanfold.mysql.image", "mysql:9.7")
                : image("mariadb", "fanfold.mariadb1011.image", "mariadb:10.11");
        return new GenericContainer<>(image)
                .withNetworkMode("host")
                .withLabels(LABEL)
                .withCreateContainerCmdModifier(
                        command -> command.withEntrypoint("sleep").withCmd("infinity"));
    }

    private static String[] command(String[] options, String... common) {
        return Stream.of(common, options).flatMap(Stream::of).toArray(String[]::new);
    }

    /** Returns the address at which other containers reach the server; empty if it does not run in a container. */
    public static Optional<String> addressAmongContainers(ServerName name) {
        return Optional.ofNullable(STARTED.get(name)).map(ContainerServers::addressAmongContainers);
    }

    /** Returns the address at which other containers reach one that has started. */
    public static String addressAmongContainers(GenericContainer<?> container) {
        return container.getContainerInfo().getNetworkSettings().getNetworks().values().stream()
                .map(ContainerNetwork::getIpAddress)
                .findFirst()
                .orElseThrow();
    }

    /** Starts a container. Its server is not one of those that tests share. */
    public static TestServer start(ServerName name, GenericContainer<?> container) {
        container.start();
        return new TestServer(name, name.kind(), container.getHost(), container.getMappedPort(PORT), USER, PASSWORD);
    }

    private static TestServer started(ServerName name, GenericContainer<?> container) {
        TestServer server = start(name, container);
        STARTED.put(name, container);
        return server;
    }

    private static DockerImageName image(String product, String property, String official) {
        String named = System.getProperty(property, "");
        String local = "local/" + official;
        String image = !named.isEmpty() ? named : isInEngine(local) ? local : official;
        return DockerImageName.parse(image).asCompatibleSubstituteFor(product);
    }

    private static boolean isInEngine(String image) {
        try {
            DockerClientFactory.instance().client().inspectImageCmd(image).exec();
            return true;
        } catch (NotFoundException e) {
            return false;
        }
    }

    /** Returns the running server that a property names; empty if none does. */
    static Optional<TestServer> named(ServerName name) {
        String property = "fanfold." + (name.kind().isMariaDb() ? "mariadb" : "mysql") + ".server";
        String address = System.getProperty(property, "");
        if (address.isEmpty()) {
            return Optional.empty();
        }
        // the password is the last part, so it may contain colons
        List<String> parts = List.of(address.split(":", 4));
        if (parts.size() != 4 || !parts.get(1).matches("[0-9]{1,5}")) {
            throw new IllegalArgumentException(
                    property + " (expected: host:port:user:password, e.g. 127.0.0.1:3306:root:secret)");
        }
        return Optional.of(new TestServer(
                name, name.kind(), parts.get(0), Integer.parseInt(parts.get(1)), parts.get(2), parts.get(3)));
    }
}
