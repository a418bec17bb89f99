package io.fanfold.it;

import java.util.List;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Clients of many languages see the same through the proxy as straight on the server: one program for each, in {@code
 * src/test/clients}, runs the scenario there twice, and writes down what it observes.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "the clients are installed by a script for Linux")
class ClientsIT {
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

    private static ClientMatrix.Client python(String driver) throws Exception {
        String python = ClientProgram.installed("python").resolve("bin/python").toString();
        return new ClientMatrix.Client(
                driver,
                List.of(python, ClientScenario.FOLDER.resolve("python/dbapi.py").toString(), driver));
    }

    private static void compare(TestServer server, ClientMatrix.Client client) throws Exception {
        try (ClientMatrix matrix = ClientMatrix.before(server)) {
            matrix.runs(client);
        }
    }
}
