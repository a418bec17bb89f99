package io.fanfold.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.wire.Capability;
import io.fanfold.wire.ServerPacket;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerSupportTest {
    /** Variables of MySQL and MariaDB whose names begin almost as those of other products. */
    private static final Set<String> USUAL =
            Set.of("version", "version_comment", "wsrep_on", "use_secondary_engine", "read_only", "time_zone");

    /** The identity of a server whose greeting has this version. */
    private static ServerIdentity server(String version) {
        long capabilities = version.contains("MariaDB") ? 0 : Capability.CLIENT_MYSQL;
        return ServerIdentity.of(new ServerPacket.Greeting(version, 1, new byte[20], capabilities, 45, 2, ""));
    }

    private static String obstacle(String version) {
        return ServerSupport.obstacle(server(version), USUAL);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8.0.31",
                "8.0.36-28",
                "8.0.36-28.1",
                "8.0.40-0ubuntu0.22.04.1",
                "8.0.36-google",
                "8.0.37-azure",
                "8.4.3",
                "9.7.4",
                "10.0.0",
                "23.1.0",
                "5.5.5-10.6.0-MariaDB",
                "5.5.5-10.11.18-MariaDB-log",
                "11.4.5-MariaDB-log",
                "11.8.3-MariaDB-0+deb13u1",
                "12.3.1-MariaDB"
            })
    void buildsOfMySqlAndMariaDbAreSplit(String version) {
        assertThat(obstacle(version)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    5.7.44-log             | the server is MySQL 5.7.44-log; Fanfold splits statements from 8.0.31 on
                    8.0.30                 | the server is MySQL 8.0.30; Fanfold splits statements from 8.0.31 on
                    5.5.5-10.5.29-MariaDB  | the server is MariaDB 10.5.29; Fanfold splits statements from 10.6.0 on
                    nightly                | the server is MySQL nightly; Fanfold splits statements from 8.0.31 on
                    """)
    void olderVersionsAreNot(String version, String obstacle) {
        assertThat(obstacle(version)).isEqualTo(obstacle);
    }

    @ParameterizedTest
    @CsvSource({
        "8.0.11-TiDB-v7.5.0, TiDB",
        "5.7.25-TiDB-v6.5.0, TiDB",
        "8.0.33-Dolt, Dolt",
        "8.0.31-vitess-17.0.0, Vitess",
        "8.0.30-Vitess, Vitess",
        "8.0.mysql_aurora.3.04.0, Amazon Aurora"
    })
    void otherProductsAreKnownByTheirVersion(String version, String product) {
        assertThat(obstacle(version)).startsWith("the server is " + product + " (" + version + "): ");
    }

    @ParameterizedTest
    @CsvSource({
        "tidb_snapshot, TiDB",
        "dolt_transaction_commit, Dolt",
        "aurora_version, Amazon Aurora",
        "rapid_bootstrap, MySQL HeatWave"
    })
    void orByTheirVariables(String variable, String product) {
        assertThat(ServerSupport.obstacle(server("8.0.42"), Set.of("version", variable)))
                .startsWith("the server is " + product + " (8.0.42): ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    8.0.31                     | a tested version
                    9.7.4-log                  | a tested version
                    11.4.5-MariaDB-log         | a tested version
                    5.5.5-10.11.18-MariaDB-deb | a tested version
                    11.8.3-MariaDB-0+deb13u1   | a tested version
                    8.0.36-28                  | 'a tested version, but the tests may run on another build of it'
                    8.4.3                      | not a tested version; the tests run on MySQL 8.0, 9.7
                    8.4.3-3                    | not a tested version; the tests run on MySQL 8.0, 9.7
                    5.5.5-10.6.21-MariaDB      | not a tested version; the tests run on MariaDB 10.11, 11.4, 11.8
                    9.8.0    | newer than the versions that the tests run on, MySQL 8.0, 9.7; statements are split as on 9.7
                    10.1.0   | newer than the versions that the tests run on, MySQL 8.0, 9.7; statements are split as on 9.7
                    12.3.1-MariaDB | newer than the versions that the tests run on, MariaDB 10.11, 11.4, 11.8; statements are split as on 11.8
                    """)
    void theLogSaysWhetherTheTestsRunOnAVersion(String version, String tested) {
        assertThat(ServerSupport.tested(server(version))).isEqualTo(tested);
    }

    @Test
    void aServerIsNamedByItsProductAndVersion() {
        assertThat(server("8.0.36-28").title()).isEqualTo("MySQL 8.0.36-28");
        assertThat(server("5.5.5-10.11.18-MariaDB-log").title()).isEqualTo("MariaDB 10.11.18");
    }
}
