package io.fanfold.it.environment;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.it.support.data.Sql;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import io.fanfold.wire.ServerFlavor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Checks that the servers have the properties that the other tests rely on. */
@AllServers
class ServersIT {
    private static final int PARTITIONS = 8;
    private static final int ROWS = 1000;

    private final TestServer server;

    ServersIT(TestServer server) {
        this.server = server;
    }

    @BeforeEach
    void createTable() throws SQLException {
        try (Connection connection = server.connect("");
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("CREATE DATABASE servers_it");
            statement.executeUpdate("CREATE TABLE servers_it.t (id INT PRIMARY KEY, v INT NOT NULL)"
                    + " PARTITION BY HASH (id) PARTITIONS " + PARTITIONS);
            StringBuilder insert = new StringBuilder("INSERT INTO servers_it.t VALUES (0, 0)");
            for (int id = 1; id < ROWS; id++) {
                insert.append(",(").append(id).append(',').append(id * 7 % 13).append(')');
            }
            assertThat(statement.executeUpdate(insert.toString())).isEqualTo(ROWS);
        }
    }

    @AfterEach
    void dropDatabase() throws SQLException {
        try (Connection connection = server.connect("");
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("DROP DATABASE IF EXISTS servers_it");
        }
    }

    @Test
    void isTheProductItSaysItIs() throws SQLException {
        assertThat(single("SELECT VERSION()").contains("MariaDB")).isEqualTo(server.kind() == ServerFlavor.MARIADB);
    }

    @Test
    void hasPartitionsThatAddUpToTheWhole() throws SQLException {
        long count = 0;
        long sum = 0;
        for (int partition = 0; partition < PARTITIONS; partition++) {
            String from = " FROM t PARTITION (p" + partition + ")";
            long inPartition = Long.parseLong(single("SELECT COUNT(*)" + from));
            assertThat(inPartition).isPositive();
            count += inPartition;
            sum += Long.parseLong(single("SELECT SUM(v)" + from));
        }
        assertThat(count).isEqualTo(ROWS);
        assertThat(sum).isEqualTo(Long.parseLong(single("SELECT SUM(v) FROM t")));
    }

    @Test
    void explainsWhichPartitionsAreRead() throws SQLException {
        String explain = server.kind() == ServerFlavor.MARIADB ? "EXPLAIN PARTITIONS " : "EXPLAIN FORMAT=TRADITIONAL ";
        try (Connection connection = server.connect("servers_it");
                Statement statement = connection.createStatement();
                ResultSet plan = statement.executeQuery(explain + "SELECT * FROM t WHERE id IN (3, 12)")) {
            assertThat(plan.next()).isTrue();
            assertThat(plan.getString("partitions")).isEqualTo("p3,p4");
        }
    }

    @Test
    void writesABinaryLogAndTakesLocalFiles() throws SQLException {
        assertThat(single("SELECT @@log_bin")).isEqualTo("1");
        assertThat(single("SELECT @@local_infile")).isEqualTo("1");
    }

    private String single(String sql) throws SQLException {
        try (Connection connection = server.connect("servers_it");
                Statement statement = connection.createStatement()) {
            return Sql.only(statement, sql);
        }
    }
}
