package io.fanfold.it.support.server.own;

import static org.junit.jupiter.api.Assumptions.abort;

import io.fanfold.it.support.data.Sql;
import io.fanfold.it.support.server.ContainerServers;
import io.fanfold.it.support.server.TestServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.testcontainers.containers.GenericContainer;

/** A replica of one of the shared servers, for one test class, which closes it. */
public final class TestReplica implements AutoCloseable {
    private static final String ACCOUNT = "replica_it";
    private static final String PASSWORD = "replica";

    private final TestServer primary;
    private final TestServer server;
    private final String address;
    private final int port;
    private final Runnable stop;

    private TestReplica(TestServer primary, TestServer server, String address, int port, Runnable stop) {
        this.primary = primary;
        this.server = server;
        this.address = address;
        this.port = port;
        this.stop = stop;
    }

    /** Starts a server of the same product in a container. It replicates after {@link #follow}. */
    public static TestReplica inContainer(TestServer primary, String... options) {
        String address = ContainerServers.addressAmongContainers(primary.name())
                .orElseGet(() -> abort(primary + " runs in no container, so no replica reaches it"));
        GenericContainer<?> container = switch (primary.kind()) {
            case MYSQL -> ContainerServers.mysqlContainer(options);
            case MARIADB -> ContainerServers.mariadbContainer(options);
        };
        TestServer server = ContainerServers.start(primary.name(), container);
        return new TestReplica(primary, server, address, 3306, container::stop);
    }

    /** Starts a MariaDB from the binaries of the demo, without a binary log unless an option says so. */
    public static TestReplica embedded(TestServer primary, Path data, String... options)
            throws IOException, InterruptedException {
        OwnMariaDb embedded = OwnMariaDb.start(primary, data, options);
        // with the name localhost it would use a Unix domain socket
        String address = primary.host().replace("localhost", "127.0.0.1");
        return new TestReplica(primary, embedded.server(), address, primary.port(), embedded::close);
    }

    public TestServer primary() {
        return primary;
    }

    public TestServer server() {
        return server;
    }

    /** Replicates from now on. Earlier changes on the primary by other tests are skipped. */
    public void follow() throws SQLException {
        try (Connection source = primary.connect("");
                Statement account = source.createStatement();
                Connection replica = server.connect("");
                Statement statement = replica.createStatement()) {
            account.execute("SET sql_log_bin = 0");
            account.execute("CREATE USER IF NOT EXISTS " + ACCOUNT + "@'%' IDENTIFIED BY '" + PASSWORD + "'");
            account.execute("GRANT REPLICATION SLAVE ON *.* TO " + ACCOUNT + "@'%'");
            switch (primary.kind()) {
                case MYSQL -> {
                    String done = Sql.only(account, "SELECT @@global.gtid_executed");
                    statement.execute("RESET BINARY LOGS AND GTIDS");
                    statement.execute("SET GLOBAL gtid_purged = '" + done + "'");
                    statement.execute("CHANGE REPLICATION SOURCE TO SOURCE_HOST = '" + address + "', SOURCE_PORT = "
                            + port + ", SOURCE_USER = '" + ACCOUNT + "', SOURCE_PASSWORD = '" + PASSWORD
                            + "', SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1");
                    statement.execute("START REPLICA");
                    statement.execute("SET GLOBAL super_read_only = 1");
                }
                case MARIADB -> {
                    String done = Sql.only(account, "SELECT @@global.gtid_binlog_pos");
                    statement.execute("SET GLOBAL gtid_slave_pos = '" + done + "'");
                    statement.execute("CHANGE MASTER TO MASTER_HOST = '" + address + "', MASTER_PORT = " + port
                            + ", MASTER_USER = '" + ACCOUNT + "', MASTER_PASSWORD = '" + PASSWORD
                            + "', MASTER_USE_GTID = slave_pos");
                    statement.execute("START SLAVE");
                }
            }
        }
    }

    @Override
    public void close() {
        stop.run();
    }
}
