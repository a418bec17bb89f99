package io.fanfold.it.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.WireConnection;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.it.support.proxy.PlainProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.server.ContainerServers;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import java.util.ArrayList;
import java.util.List;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.images.builder.Transferable;

/**
 * Accounts whose password MariaDB verifies through PAM. The plugin {@code dialog} sends questions to the client, the
 * plugin {@code mysql_clear_password} takes the password in clear text.
 */
class PamIT {
    private static final String USER = "by_pam";
    private static final String PASSWORD = "word of the system's";

    /** The script that PAM runs. It gets the password on standard input, followed by a zero byte. */
    private static final String CHECK = "#!/bin/sh\n[ \"$(tr -d '\\000')\" = \"" + PASSWORD + "\" ]\n";

    private static final String SERVICE = """
            auth required pam_exec.so quiet expose_authtok /usr/local/bin/pam-check
            account required pam_permit.so
            """;

    @OnServers(ServerName.MARIADB_WITH_PLUGINS)
    void pamAsksThroughTheProxy(TestServer shared) throws Exception {
        for (String plugin : List.of("dialog", "mysql_clear_password")) {
            String clear = plugin.equals("dialog") ? "OFF" : "ON";
            try (GenericContainer<?> container = ContainerServers.mariadbContainer(
                                    "--plugin-load-add=auth_pam_v1", "--pam-use-cleartext-plugin=" + clear)
                            .withCopyToContainer(Transferable.of(SERVICE, 0644), "/etc/pam.d/fanfold")
                            .withCopyToContainer(Transferable.of(CHECK, 0755), "/usr/local/bin/pam-check");
                    GenericContainer<?> clients = ContainerServers.clients(shared.name())) {
                TestServer server = ContainerServers.start(shared.name(), container);
                clients.start();
                try (WireConnection admin = ProxiedServer.connect(
                        server.host(), server.port(), server.adminUser(), server.adminPassword())) {
                    admin.execute("CREATE USER " + USER + "@'%' IDENTIFIED VIA pam USING 'fanfold'");
                }
                compare(plugin, server, clients);
            }
        }
    }

    private static void compare(String plugin, TestServer server, GenericContainer<?> clients) throws Exception {
        ListenerConfig listener = PlainProxy.anyPort()
                .withTls(ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.PREFERRED))
                .withCompression(ListenerConfig.ClientCompression.ON);
        try (PlainProxy proxy = PlainProxy.start(listener, PlainProxy.before(server))) {
            for (String password : List.of(PASSWORD, "another")) {
                List<String> direct = seen(clients, server.port(), password, "");
                assertThat(direct.get(0)).isEqualTo(password.equals(PASSWORD) ? "0" : "1");
                assertThat(String.join("\n", direct))
                        .contains(password.equals(PASSWORD) ? USER + "@%" : "ERROR 1045 (28000): Access denied");
                for (String more : List.of("", "--ssl", "--compress", "--ssl --compress")) {
                    assertThat(seen(clients, proxy.port(), password, more))
                            .as("%s, '%s' %s", plugin, password, more)
                            .isEqualTo(direct);
                }
            }
        }
    }

    /** Returns the exit code and the client's output. */
    private static List<String> seen(GenericContainer<?> clients, int port, String password, String more)
            throws Exception {
        List<String> call = new ArrayList<>(List.of(
                "mariadb", "-h", "127.0.0.1", "-P", String.valueOf(port), "-u", USER, "--password=" + password));
        call.addAll(more.isEmpty() ? List.of() : List.of(more.split(" ", -1)));
        call.addAll(List.of("-N", "-B", "-e", "SELECT CURRENT_USER(), REPEAT('x', 1000)"));
        ExecResult result = clients.execInContainer(call.toArray(String[]::new));
        return List.of(String.valueOf(result.getExitCode()), result.getStdout(), result.getStderr());
    }
}
