package io.fanfold.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.client.ConnectFailure;
import io.fanfold.client.ServerException;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.ConfigLoader;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.Secret;
import io.fanfold.config.WorkersConfig;
import io.fanfold.inspect.Finding.Severity;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsFindingsTest {
    @TempDir
    private Path folder;

    private FanfoldConfig config(String yaml) throws IOException {
        Path file = Files.writeString(folder.resolve("fanfold.yaml"), yaml);
        return new ConfigLoader(Map.of(ConfigLoader.PASSWORD_VARIABLE, "pw")::get).load(file);
    }

    @Test
    void theDefaultsDoNotContradictEachOther() {
        assertThat(SettingsFindings.contradictions(FanfoldConfig.defaults())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    fan-out: {degree: 64}                             | fan-out.degree 64 is more than workers.connections 32 | set fan-out.degree: 32
                    fan-out: {degree: 1}                              | fan-out.degree is 1                                   | set fan-out.degree to
                    {fan-out: {degree: 8}, workers: {connections-per-user: 4}} | more than workers.connections-per-user 4              | set workers.connections-per-user: 8
                    workers: {queue-wait: 0ms}                        | workers.queue-length 64 has no effect                 | set workers.queue-wait: 200ms
                    workers: {queue-length: 0}                        | workers.queue-wait 200 ms has no effect               | set workers.queue-length: 64
                    workers: {idle-timeout: 30m}                      | workers.idle-timeout is not shorter                   | set workers.idle-timeout
                    fan-out: {consistency: relaxed, table-locks: allow} | fan-out.table-locks has no effect                   | set fan-out.consistency: strict
                    limits: {query-memory: 4MiB}                      | limits.held-answer is more than                       | set limits.held-answer
                    listener: {tls: {mode: passthrough}}              | Fanfold splits no statement of a client that uses TLS            | set listener.tls.mode
                    """)
    void contradictionsAreReportedWithTheirRemedy(String yaml, String sentence, String remedy) throws IOException {
        List<Finding> findings = SettingsFindings.contradictions(config(yaml));
        assertThat(findings).singleElement().satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Severity.ADVICE);
            assertThat(finding.sentence()).contains(sentence);
            assertThat(finding.remedy()).contains(remedy);
        });
    }

    @Test
    void aSettingThatSwitchesSplittingOffIsAnObstacle() throws IOException {
        List<Finding> findings = SettingsFindings.switchedOff(config("fan-out: {mode: off}"));
        assertThat(findings)
                .extracting(Finding::sentence)
                .containsExactly("fan-out is switched off", "no worker account is configured");
        assertThat(SettingsFindings.switchedOff(config("workers: {user: w}"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    1045 | Access denied for user 'w'@'10.1.2.3' (using password: YES) | CREATE USER 'w'@'10.1.2.3' IDENTIFIED BY
                    1698 | Access denied for user 'w'@'localhost'                      | CREATE USER 'w'@'localhost' IDENTIFIED BY
                    1130 | Host '10.1.2.3' is not allowed to connect to this server    | CREATE USER 'w'@'%' IDENTIFIED BY
                    1129 | Host '10.1.2.3' is blocked                                  | FLUSH HOSTS;
                    1040 | Too many connections                                        | SET GLOBAL max_connections
                    1203 | User w already has more than 'max_user_connections' active  | ALTER USER 'w'@'%' WITH MAX_USER_CONNECTIONS 35;
                    1226 | User 'w' has exceeded the 'max_user_connections' resource   | ALTER USER 'w'@'%' WITH MAX_USER_CONNECTIONS 35;
                    3118 | Access denied for user 'w'@'x'. Account is locked.          | ALTER USER 'w'@'%' ACCOUNT UNLOCK;
                    4151 | Access denied, this account is locked                       | ALTER USER 'w'@'%' ACCOUNT UNLOCK;
                    1862 | Your password has expired                                   | ALTER USER 'w'@'%' IDENTIFIED BY
                    """)
    void aRefusedLoginHasARemedy(int errno, String message, String remedy) {
        Finding finding = refused(new ServerException(errno, "28000", message));
        assertThat(finding.severity()).isEqualTo(Severity.BLOCKS);
        assertThat(finding.sentence())
                .isEqualTo("the worker account w cannot log in at db:3306: error " + errno + " " + message);
        assertThat(finding.remedy()).contains(remedy);
    }

    @Test
    void anotherRefusalIsReportedInTheServersWords() {
        Finding finding =
                refused(new ServerException(3159, "HY000", "Connections using insecure transport are prohibited"));
        assertThat(finding)
                .isEqualTo(Finding.blocks(
                        "the worker account w cannot log in at db:3306: error 3159 Connections using insecure transport"
                                + " are prohibited",
                        List.of()));
    }

    @Test
    void anUnreachableServerIsReportedWithoutJavaNames() {
        assertThat(List.of(
                                new ConnectException("Connection refused"),
                                new ConnectException("Connection refused: db/10.0.0.1:3306"),
                                new UnknownHostException("db"),
                                new SocketTimeoutException("Connect timed out"),
                                new IOException())
                        .stream()
                        .map(cause -> refused(cause).sentence()))
                .containsExactly(
                        "the server at db:3306 cannot be reached: connection refused",
                        "the server at db:3306 cannot be reached: connection refused",
                        "the server at db:3306 cannot be reached: the host name is unknown",
                        "the server at db:3306 cannot be reached: no answer within backend.connect-timeout",
                        "the server at db:3306 cannot be reached: the connection failed");
    }

    private static Finding refused(Exception cause) {
        BackendConfig backend = BackendConfig.defaults().at("db", 3306);
        WorkersConfig workers = WorkersConfig.defaults().with("w", new Secret("pw"), 32);
        return ConnectFindings.of(ConnectFailure.of(cause), backend, workers);
    }
}
