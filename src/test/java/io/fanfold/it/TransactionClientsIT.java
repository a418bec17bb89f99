package io.fanfold.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.fanfold.backend.WireConnection;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Drivers and pools that run each statement in a transaction, as they do by default or for {@code readOnly}: their first SELECT is split. */
@AllServers
@EnabledOnOs(value = OS.LINUX, disabledReason = "the clients are installed by a script for Linux")
class TransactionClientsIT {
    private static final TestDatabase DATABASE = new TestDatabase("it_transaction_clients", SmallTable::create);
    private static final String USER = "it_transaction";
    private static final String SUM = "SELECT SUM(v) FROM t";

    private final TestServer server;
    private SameAsServer same;
    private String answer;

    TransactionClientsIT(TestServer server) {
        this.server = server;
    }

    @BeforeEach
    void open() throws Exception {
        same = DATABASE.shared(server, 3);
        try (WireConnection admin = same.proxy().direct()) {
            admin.execute("CREATE USER IF NOT EXISTS " + USER + " IDENTIFIED BY ''");
            admin.execute("GRANT SELECT ON " + DATABASE.name() + ".* TO " + USER);
            admin.execute("USE " + DATABASE.name());
            answer = String.valueOf(admin.query(SUM).rows().get(0).utf8(0));
        }
        same.proxy().forget();
    }

    @AfterEach
    void close() throws Exception {
        try (WireConnection admin = same.proxy().direct()) {
            admin.execute("DROP USER " + USER);
        }
        same.close();
    }

    @Test
    void python() throws Exception {
        String python = ClientProgram.installed("python").resolve("bin/python").toString();
        String script = ClientScenario.FOLDER.resolve("python/defaults.py").toString();
        for (String driver :
                List.of("pymysql", "mysqlclient", "connector-pure", "connector-c", "asyncmy", "sqlalchemy")) {
            List<String> lines = ClientProgram.run(
                    "transaction-" + driver,
                    List.of(
                            "env",
                            "FANFOLD_SELECT=" + SUM,
                            python,
                            script,
                            driver,
                            DATABASE.name(),
                            USER + "::127.0.0.1:" + same.proxy().port()));
            assertThat(lines).as(driver).singleElement().asString().startsWith(answer);
            assertSplit(driver);
        }
    }

    /** As Spring does for {@code @Transactional(readOnly = true)}, and without readOnly. */
    @Test
    void pooledJdbc() throws Exception {
        for (boolean readOnly : List.of(true, false)) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl("jdbc:mysql://127.0.0.1:" + same.proxy().port() + "/" + DATABASE.name());
            config.setUsername(USER);
            config.setPassword("");
            config.setMaximumPoolSize(1);
            config.setReadOnly(readOnly);
            config.setAutoCommit(false);
            try (HikariDataSource pool = new HikariDataSource(config)) {
                for (int i = 0; i < 2; i++) {
                    try (Connection connection = pool.getConnection();
                            Statement statement = connection.createStatement()) {
                        same.proxy().forget();
                        assertThat(Sql.only(statement, SUM)).isEqualTo(answer);
                        assertSplit("read only: " + readOnly);
                        connection.commit();
                    }
                }
            }
        }
    }

    /** The statement that the proxy looked at first and that reads the table was fanned out. */
    private void assertSplit(String client) throws Exception {
        assertThat(same.proxy().fanOuts()).as("fan-outs of %s", client).isPositive();
        same.proxy().forget();
    }
}
