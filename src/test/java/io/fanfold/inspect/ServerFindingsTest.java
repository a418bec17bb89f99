package io.fanfold.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.AccountName;
import io.fanfold.client.ServerIdentity;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.Secret;
import io.fanfold.inspect.Finding.Severity;
import io.fanfold.wire.ServerFlavor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerFindingsTest {
    private static final FanfoldConfig CONFIG = config(8);

    private static FanfoldConfig config(int connections) {
        FanfoldConfig defaults = FanfoldConfig.defaults();
        return new FanfoldConfig(
                defaults.listener(),
                defaults.backend(),
                defaults.workers().with("w", new Secret("pw"), connections),
                defaults.fanOut(),
                defaults.limits());
    }

    private static List<Finding> connections(FanfoldConfig config, int most, int open, int waitSeconds) {
        return ServerFindings.connections(
                config,
                AccountName.of("w@%"),
                Map.of(
                        "max_connections",
                        String.valueOf(most),
                        "threads_connected",
                        String.valueOf(open),
                        "wait_timeout",
                        String.valueOf(waitSeconds)));
    }

    private static List<String> advice(List<Finding> findings) {
        return findings.stream()
                .filter(finding -> finding.severity() == Severity.ADVICE)
                .map(SplitState::line)
                .toList();
    }

    @Test
    void theVersionIsReportedAndWhetherItWasTested() {
        ServerIdentity server = new ServerIdentity("9.7.4", ServerFlavor.MYSQL, 9, 7, 4);
        assertThat(ServerFindings.version(server, BackendConfig.defaults().at("db", 3306)))
                .isEqualTo(Finding.info("server: MySQL 9.7.4 at db:3306 (a tested version)"));
    }

    @Test
    void smallPacketsBlock() {
        assertThat(ServerFindings.packets(16_384)).isEmpty();
        assertThat(ServerFindings.packets(16_383)).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.BLOCKS);
            assertThat(SplitState.line(finding))
                    .isEqualTo("the server's max_allowed_packet is 16383 bytes; Fanfold needs at least 16384."
                            + " To change that: SET GLOBAL max_allowed_packet = 67108864;");
        });
    }

    @Test
    void tlsOfBothSidesIsReported() {
        assertThat(ServerFindings.tls(CONFIG, "").sentence())
                .isEqualTo("TLS: clients as_server; server as_client, workers without TLS");
        assertThat(ServerFindings.tls(CONFIG, "TLSv1.3").sentence())
                .isEqualTo("TLS: clients as_server; server as_client, workers with TLSv1.3");
    }

    @Test
    void connectionsThatFitAreNoAdvice() {
        List<Finding> findings = connections(CONFIG, 151, 3, 28_800);
        assertThat(findings)
                .extracting(Finding::sentence)
                .containsExactly(
                        "workers: at most 8 connections as 'w'@'%', degree auto",
                        "connections: the server accepts 151 (max_connections); 3 are open. Fanfold opens at most 8 for"
                                + " workers, and one for each client. limits.connections allows "
                                + CONFIG.limits().connections() + " clients");
        assertThat(advice(findings)).isEmpty();
    }

    /** In addition to the workers, Fanfold itself opens up to three connections. */
    @Test
    void tooManyConnectionsAreReportedWithBothRemedies() {
        assertThat(advice(connections(CONFIG, 20, 9, 0))).isEmpty();
        assertThat(advice(connections(CONFIG, 20, 10, 0)))
                .containsExactly("workers.connections 8 is too many: 10 connections are open, and the server's"
                        + " max_connections is 20. The server will refuse clients. To change that: SET GLOBAL"
                        + " max_connections = 56; -- or: set workers.connections: 5");
    }

    @Test
    void aLifetimeThatTheServerEndsIsReportedWithBothRemedies() {
        assertThat(advice(connections(CONFIG, 151, 3, 1801))).isEmpty();
        assertThat(advice(connections(CONFIG, 151, 3, 1800)))
                .containsExactly("workers.max-lifetime 1800 s is not shorter than the server's wait_timeout 1800 s."
                        + " The server may close a worker connection before Fanfold replaces it. To change that:"
                        + " set workers.max-lifetime: 900s -- or: SET GLOBAL wait_timeout = 28800;");
    }
}
