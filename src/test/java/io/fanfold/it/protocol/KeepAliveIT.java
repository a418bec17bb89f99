package io.fanfold.it.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.client.WireConnection;
import io.fanfold.it.support.proxy.FaultProxy;
import io.fanfold.it.support.proxy.ProxiedServer;
import io.fanfold.it.support.proxy.ProxySetup;
import io.fanfold.it.support.server.OnServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** TCP keep-alive: the kernel probes silent clients and servers, as its connection table shows. */
@EnabledOnOs(OS.LINUX)
class KeepAliveIT {
    /** The timer field in /proc/net/tcp of a connection that waits only for the next keep-alive probe. */
    private static final String KEEP_ALIVE_TIMER = "02";

    private static final int TICKS_PER_SECOND = 100;

    /** One connection: its ports, and the seconds until its keep-alive timer fires; -1 if no such timer runs. */
    private record Line(int localPort, int remotePort, double asksIn) {
        static Line parse(String line) {
            String[] fields = line.trim().split("\\s+", -1);
            String[] timer = fields[5].split(":", -1);
            return new Line(
                    port(fields[1]),
                    port(fields[2]),
                    timer[0].equals(KEEP_ALIVE_TIMER) ? Long.parseLong(timer[1], 16) / (double) TICKS_PER_SECOND : -1);
        }

        private static int port(String address) {
            return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1), 16);
        }
    }

    @OnServers(ServerName.MARIADB)
    void idleClientsAndServersAreProbed(TestServer server) throws Exception {
        try (FaultProxy ofClients = FaultProxy.before(server);
                FaultProxy ofWorkers = FaultProxy.before(server);
                ProxiedServer proxy = ProxiedServer.start(
                        server,
                        ProxySetup.ofDegree(3).withClientPort(ofClients.port()).withWorkerPort(ofWorkers.port()));
                WireConnection client = proxy.proxied()) {
            assertThat(client.ping()).isTrue();
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                asked("clients", line -> line.localPort() == proxy.port(), 1);
                asked("clients' server connections", line -> line.remotePort() == ofClients.port(), 1);
                // two that are idle, and the one that kills
                asked("workers", line -> line.remotePort() == ofWorkers.port(), 3);
            });
        }
    }

    private static void asked(String what, Predicate<Line> which, int count) throws Exception {
        List<Line> lines = new ArrayList<>();
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            Files.readAllLines(Path.of(table)).stream()
                    .skip(1)
                    .filter(line -> line.trim().split("\\s+", -1)[3].equals("01"))
                    .map(Line::parse)
                    .filter(which)
                    .forEach(lines::add);
        }
        assertThat(lines)
                .as(what)
                .hasSize(count)
                .allSatisfy(line ->
                        assertThat(line.asksIn()).isBetween(0.0, (double) ProxiedServer.KEEP_ALIVE.toSeconds()));
    }
}
