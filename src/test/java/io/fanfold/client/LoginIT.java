package io.fanfold.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import java.util.List;

class LoginIT {
    private static final List<String> PASSWORDS =
            List.of("", "pw", "p\u00e4\u00df w\u00f6rd", "a password that is a good deal longer than twenty bytes");

    @OnServers(ServerName.MYSQL)
    void logsInByCachingSha2WithColdAndWarmCache(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        try (WireConnection admin = real.admin()) {
            for (String password : PASSWORDS) {
                admin.execute(
                        "CREATE USER backend_guest@'%' IDENTIFIED WITH caching_sha2_password BY '" + password + "'");
                try {
                    // Clears the server's cache of passwords, so that the first login is a full exchange.
                    admin.execute("FLUSH PRIVILEGES");
                    for (int i = 0; i < 3; i++) {
                        assertLoggedIn(real, password);
                    }
                    assertRefused(real, password + "x");
                } finally {
                    admin.execute("DROP USER backend_guest@'%'");
                }
            }
        }
    }

    @OnServers({ServerName.MARIADB, ServerName.MARIADB_WITH_PLUGINS})
    void logsInByNativePassword(TestServer server) throws Exception {
        logsIn(server, "mysql_native_password", PASSWORDS);
    }

    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void logsInByEd25519(TestServer server) throws Exception {
        // Accounts of this plugin cannot have an empty password.
        logsIn(server, "ed25519", PASSWORDS.subList(1, PASSWORDS.size()));
    }

    private static void logsIn(TestServer server, String plugin, List<String> passwords) throws Exception {
        RealServer real = new RealServer(server);
        try (WireConnection admin = real.admin()) {
            for (String password : passwords) {
                admin.execute("CREATE USER backend_guest@'%' IDENTIFIED VIA " + plugin + " USING PASSWORD('" + password
                        + "')");
                try {
                    assertLoggedIn(real, password);
                    assertRefused(real, password + "x");
                } finally {
                    admin.execute("DROP USER backend_guest@'%'");
                }
            }
        }
    }

    private static void assertLoggedIn(RealServer real, String password) throws Exception {
        try (WireConnection guest = WireConnection.open(real.settings("backend_guest", password))) {
            assertThat(RealServer.value(guest, "SELECT CURRENT_USER()")).isEqualTo("backend_guest@%");
            assertThat(RealServer.value(guest, "SELECT CONNECTION_ID()")).isEqualTo(String.valueOf(guest.threadId()));
        }
    }

    private static void assertRefused(RealServer real, String password) {
        assertThatThrownBy(() -> WireConnection.open(real.settings("backend_guest", password)))
                .isInstanceOfSatisfying(
                        ServerException.class, e -> assertThat(e.errno()).isEqualTo(1045));
    }
}
