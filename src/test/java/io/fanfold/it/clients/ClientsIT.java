package io.fanfold.it.clients;

import io.fanfold.it.support.client.ClientMatrix;
import io.fanfold.it.support.client.ClientProgram;
import io.fanfold.it.support.client.ClientScenario;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Clients in many languages see the same through the proxy as direct on the server. One program per client, in
 * {@code src/test/clients}, runs the scenario on both routes and records what it observes.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "the clients are installed by a script for Linux")
class ClientsIT {
    /** All clients of a server use the same two proxies. */
    private static final Map<TestServer, ClientMatrix> STARTED = new HashMap<>();

    @AfterAll
    static void stop() throws Exception {
        for (ClientMatrix matrix : STARTED.values()) {
            matrix.close();
        }
        STARTED.clear();
    }

    @AllServers
    void pyMySql(TestServer server) throws Exception {
        compare(server, python("pymysql").without("prepared", "reset"));
    }

    @AllServers
    void mysqlclient(TestServer server) throws Exception {
        compare(server, python("mysqlclient").without("prepared", "reset"));
    }

    @AllServers
    void connectorPythonPure(TestServer server) throws Exception {
        compare(server, python("connector-pure").afterLogin().brokenIn(1));
    }

    @AllServers
    void connectorPythonInC(TestServer server) throws Exception {
        compare(server, python("connector-c").afterLogin());
    }

    @AllServers
    void asyncmy(TestServer server) throws Exception {
        compare(server, python("asyncmy", "python/asyncmy_client.py").without("prepared", "reset"));
    }

    @AllServers
    void sqlAlchemy(TestServer server) throws Exception {
        ClientMatrix.Client client = python("sqlalchemy", "python/sqlalchemy_client.py");
        compare(server, client.without("prepared", "reset", "multi", "killquery"));
    }

    @AllServers
    void mysql2OfNode(TestServer server) throws Exception {
        compare(server, node("mysql2"));
    }

    @AllServers
    void mariaDbOfNode(TestServer server) throws Exception {
        compare(server, node("mariadb"));
    }

    @AllServers
    void goWithTextParameters(TestServer server) throws Exception {
        String client = ClientProgram.installed("go").resolve("client").toString();
        compare(server, new ClientMatrix.Client("go-text", List.of(client, "text")).without("reset"));
    }

    @AllServers
    void goPreparing(TestServer server) throws Exception {
        String client = ClientProgram.installed("go").resolve("client").toString();
        compare(
                server,
                new ClientMatrix.Client("go-prepared", List.of(client, "prepared"))
                        .without("reset")
                        .preparing());
    }

    @AllServers
    void rustMysqlAsync(TestServer server) throws Exception {
        String client = ClientProgram.installed("rust").resolve("client").toString();
        compare(server, new ClientMatrix.Client("rust", List.of(client)).preparing());
    }

    @AllServers
    void mysqliOfPhp(TestServer server) throws Exception {
        compare(server, php("mysqli").preparing());
    }

    @AllServers
    void pdoOfPhp(TestServer server) throws Exception {
        compare(server, php("pdo").without("ping", "reset", "killquery"));
    }

    @AllServers
    void dbdMariaDbOfPerl(TestServer server) throws Exception {
        compare(server, perl("MariaDB").without("reset", "killquery"));
    }

    @AllServers
    void dbdMysqlOfPerl(TestServer server) throws Exception {
        // built with MariaDB's library, the driver refuses encryption
        compare(server, perl("mysql").without("reset", "killquery").inClear());
    }

    @AllServers
    void vertx(TestServer server) throws Exception {
        compare(server, java("vertx").preparingStreams());
    }

    @AllServers
    void r2dbcMysql(TestServer server) throws Exception {
        compare(server, java("r2dbc-mysql").without("reset").preparing().afterLogin());
    }

    @AllServers
    void r2dbcMariaDb(TestServer server) throws Exception {
        compare(server, java("r2dbc-mariadb").without("reset").preparing());
    }

    private static ClientMatrix.Client node(String driver) throws Exception {
        Path node = ClientProgram.installed("node");
        return new ClientMatrix.Client(
                driver,
                List.of(node.resolve("bin/node").toString(), script("node/client.mjs"), node.toString(), driver));
    }

    private static ClientMatrix.Client java(String driver) throws Exception {
        Path java = ClientProgram.installed("java");
        return new ClientMatrix.Client(
                driver,
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        java.resolve("classes") + ":" + java.resolve("lib") + "/*",
                        "Client",
                        driver));
    }

    private static ClientMatrix.Client php(String driver) throws Exception {
        String php = ClientProgram.onPath("php");
        ClientProgram.require(
                "PHP's " + driver,
                List.of(php, "-r", "exit(extension_loaded('mysqli') && extension_loaded('pdo_mysql') ? 0 : 1);"));
        return new ClientMatrix.Client(driver, List.of(php, script("php/client.php"), driver));
    }

    private static ClientMatrix.Client perl(String driver) throws Exception {
        String perl = ClientProgram.onPath("perl");
        ClientProgram.require("Perl's DBD::" + driver, List.of(perl, "-MDBD::" + driver, "-MJSON::PP", "-e", "1"));
        return new ClientMatrix.Client("perl-" + driver, List.of(perl, script("perl/client.pl"), driver));
    }

    private static String script(String name) {
        return ClientScenario.FOLDER.resolve(name).toString();
    }

    private static ClientMatrix.Client python(String driver) throws Exception {
        return python(driver, "python/dbapi.py");
    }

    private static ClientMatrix.Client python(String driver, String script) throws Exception {
        String python = ClientProgram.installed("python").resolve("bin/python").toString();
        return new ClientMatrix.Client(driver, List.of(python, script(script), driver));
    }

    private static void compare(TestServer server, ClientMatrix.Client client) throws Exception {
        if (!STARTED.containsKey(server)) {
            STARTED.put(server, ClientMatrix.before(server));
        }
        STARTED.get(server).runs(client);
    }
}
