package io.fanfold.inspect;

import io.fanfold.catalog.AccountName;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.ServerIdentity;
import io.fanfold.client.ServerSupport;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.WorkersConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The findings about the server's version and variables. Stateless. */
final class ServerFindings {
    /**
     * The connections of the worker account besides the workers. One kills, one watches, and one shows a long split in
     * the process list.
     */
    private static final int SIDE_CONNECTIONS = 3;

    private ServerFindings() {}

    static Finding version(ServerIdentity server, BackendConfig backend) {
        return Finding.info("server: " + server.title() + " at " + backend.host() + ":" + backend.port() + " ("
                + ServerSupport.tested(server) + ")");
    }

    /** @param maxPacket max_allowed_packet in bytes */
    static List<Finding> packets(long maxPacket) {
        return maxPacket < ServerFacts.LEAST_PACKET
                ? List.of(Finding.blocks(
                        "the server's max_allowed_packet is " + maxPacket + " bytes; Fanfold needs at least "
                                + ServerFacts.LEAST_PACKET,
                        List.of("SET GLOBAL max_allowed_packet = 67108864;")))
                : List.of();
    }

    /** @param version the status variable Ssl_version of a worker's connection, "" without TLS */
    static Finding tls(FanfoldConfig config, String version) {
        return Finding.info("TLS: clients "
                + config.listener().tls().mode().name().toLowerCase(Locale.ROOT) + "; server "
                + config.backend().tls().mode().name().toLowerCase(Locale.ROOT)
                + (version.isEmpty() ? ", workers without TLS" : ", workers with " + version));
    }

    /** @param variables max_connections, threads_connected and wait_timeout of the server */
    static List<Finding> connections(FanfoldConfig config, AccountName account, Map<String, String> variables) {
        WorkersConfig settings = config.workers();
        long most = number(variables, "max_connections");
        long open = number(variables, "threads_connected");
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.info("workers: at most " + settings.connections() + " connections as " + account
                + ", degree " + config.fanOut().degreeText()));
        findings.add(Finding.detail("connections: the server accepts " + most + " (max_connections); " + open
                + " are open. Fanfold opens at most " + settings.connections()
                + " for workers, and one for each client. limits.connections allows "
                + config.limits().connections() + " clients"));
        if (settings.connections() + SIDE_CONNECTIONS + open > most) {
            findings.add(Finding.advice(
                    "workers.connections " + settings.connections() + " is too many: " + open
                            + " connections are open, and the server's max_connections is " + most
                            + ". The server will refuse clients",
                    "SET GLOBAL max_connections = " + 2 * (most + settings.connections()) + ";",
                    "set workers.connections: " + Math.max(2, most / 4)));
        }
        long waitSeconds = number(variables, "wait_timeout");
        if (waitSeconds > 0 && settings.maxLifetime().toSeconds() >= waitSeconds) {
            findings.add(Finding.advice(
                    "workers.max-lifetime " + settings.maxLifetime().toSeconds()
                            + " s is not shorter than the server's wait_timeout " + waitSeconds
                            + " s. The server may close a worker connection before Fanfold replaces it",
                    "set workers.max-lifetime: " + Math.max(30, waitSeconds / 2) + "s",
                    "SET GLOBAL wait_timeout = 28800;"));
        }
        return findings;
    }

    private static long number(Map<String, String> variables, String name) {
        return Long.parseLong(variables.getOrDefault(name, "0"));
    }
}
