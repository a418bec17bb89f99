package io.fanfold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.config.ConfigLoader;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

/** {@code check-config --connect} with several servers in {@code backend.hosts}. */
class BackendHostsIT {
    @TempDir
    Path folder;

    @AllServers
    void allServersAreChecked(TestServer server) throws Exception {
        int closed;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = free.getLocalPort();
        }
        Path file = Files.writeString(folder.resolve("fanfold.yaml"), """
                backend:
                  hosts:
                    - {host: 127.0.0.1, port: %d}
                    - {host: %s, port: %d}
                workers: {user: %s}
                """.formatted(
                        closed, server.host(), server.port(), server.adminUser()));
        CommandRun run = CommandRun.of(
                Map.of(ConfigLoader.PASSWORD_VARIABLE, server.adminPassword()),
                "check-config",
                "--connect",
                file.toString());
        assertThat(run.out())
                .contains(
                        "new clients are connected to " + server.host() + ":" + server.port(),
                        "server 127.0.0.1:" + closed + " is not used: ")
                .doesNotContain("cannot be reached");
    }
}
