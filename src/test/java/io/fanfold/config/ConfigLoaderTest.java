package io.fanfold.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigLoaderTest {
    private static final Path REFERENCE = Path.of("config", "fanfold.yaml");

    private static final String EVERY_KEY = """
            listener:
              host: 0.0.0.0
              port: 4407
              backlog: 64
              keep-alive: 3m
              proxy-protocol-networks: [10.0.0.0/8,"fd00::1"]
              socket: /run/fanfold.sock
              tls:
                mode: disabled
                certificate: server.pem
                key: server.key
                client-ca: clients.pem
                require-client-certificate: true
                directory: /var/lib/fanfold
              compression: off
            backend:
              host: db.example
              port: 3310
              connect-timeout: 250ms
              keep-alive: 20s
              proxy-protocol: v2
              tls:
                mode: disabled
                clear-clients: allow
                verify: verify_identity
                ca: ca.pem
                certificate: proxy.pem
                key: proxy.key
                show-certificate: always
              compression: zstd
            workers:
              user: fanfold
              password-env: WORKER_SECRET
              connections: 12
              connections-per-user: 6
              queue-length: 20
              queue-wait: 1s
              idle-timeout: 2m
              max-lifetime: 1h
            fan-out:
              enabled: false
              degree: 4
              min-rows: 1_000
              consistency: relaxed
              snapshot-rounds: 3
              snapshot-time: 75ms
              table-locks: allow
              table-lock-time: 35ms
              split-plain-count: true
              approximate: allow
              catalog-refresh: 30s
            limits:
              statement-size: 128KiB
              query-memory: 63MiB
              total-memory: 200MiB
              held-answer: 3MiB
              finish-rows: 500
              connections: 77
              slow-client: 5s
              handshake-timeout: 10s
              drain-time: 3s
            log:
              level: debug
            """;

    private static final HeapShares HEAP = new HeapShares(1 << 30);

    private final ConfigLoader loader =
            new ConfigLoader(Map.of("WORKER_SECRET", "s3cret", ConfigLoader.PASSWORD_VARIABLE, "usual")::get, HEAP);

    @TempDir
    Path directory;

    private static FanfoldConfig defaults() {
        return new FanfoldConfig(
                ListenerConfig.defaults(),
                BackendConfig.defaults(),
                WorkersConfig.defaults(),
                FanOutConfig.defaults(),
                LimitsConfig.of(HEAP));
    }

    @Test
    void theReferenceFileIsExactlyTheDefaults() {
        assertThat(loader.load(REFERENCE)).isEqualTo(defaults());
    }

    @Test
    void anEmptyFileIsExactlyTheDefaults() {
        assertThat(parse("")).isEqualTo(defaults());
        assertThat(parse("# nothing\n")).isEqualTo(defaults());
        assertThat(parse("workers:\nlimits:\n")).isEqualTo(defaults());
    }

    @Test
    void everyKeyIsMapped() {
        FanfoldConfig expected = new FanfoldConfig(
                new ListenerConfig("0.0.0.0", 4407, 64, Duration.ofMinutes(3))
                        .withProxyNetworks(List.of(
                                Network.parse("10.0.0.0/8").orElseThrow(),
                                Network.parse("fd00::1/128").orElseThrow()))
                        .withSocket(Path.of("/run/fanfold.sock"))
                        .with(ListenerTlsConfig.of(ListenerTlsConfig.Mode.DISABLED)
                                .withCertificate(Path.of("server.pem"), Path.of("server.key"))
                                .withClientCa(Path.of("clients.pem"), true)
                                .withDirectory(Path.of("/var/lib/fanfold")))
                        .with(ListenerConfig.Compression.OFF),
                new BackendConfig("db.example", 3310, Duration.ofMillis(250), Duration.ofSeconds(20))
                        .with(BackendConfig.ProxyProtocol.V2)
                        .with(BackendTlsConfig.of(BackendTlsConfig.Mode.DISABLED)
                                .with(BackendTlsConfig.Verify.VERIFY_IDENTITY, Path.of("ca.pem"))
                                .withCertificate(Path.of("proxy.pem"), Path.of("proxy.key"))
                                .with(BackendTlsConfig.ClearClients.ALLOW)
                                .with(BackendTlsConfig.ShowCertificate.ALWAYS))
                        .with(BackendConfig.Compression.ZSTD),
                new WorkersConfig(
                        "fanfold",
                        new Secret("s3cret"),
                        12,
                        6,
                        20,
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(2),
                        Duration.ofHours(1)),
                new FanOutConfig(
                        false,
                        4,
                        1000,
                        new SnapshotConfig(
                                SnapshotConfig.Consistency.RELAXED,
                                3,
                                Duration.ofMillis(75),
                                SnapshotConfig.TableLocks.ALLOW,
                                Duration.ofMillis(35)),
                        true,
                        FanOutConfig.Approximate.ALLOW,
                        Duration.ofSeconds(30)),
                new LimitsConfig(
                        128 << 10,
                        63 << 20,
                        200 << 20,
                        3 << 20,
                        500,
                        77,
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(3)),
                new LogConfig(LogConfig.Level.DEBUG));
        assertThat(parse(EVERY_KEY)).isEqualTo(expected);
    }

    @Test
    void noComponentKeepsItsDefaultWhenEveryKeyIsSet() throws ReflectiveOperationException {
        FanfoldConfig set = parse(EVERY_KEY);
        FanfoldConfig defaults = defaults();
        for (var group : FanfoldConfig.class.getRecordComponents()) {
            Object one = group.getAccessor().invoke(set);
            Object other = group.getAccessor().invoke(defaults);
            for (var component : group.getType().getRecordComponents()) {
                assertThat(component.getAccessor().invoke(one))
                        .as("%s.%s", group.getName(), component.getName())
                        .isNotEqualTo(component.getAccessor().invoke(other));
            }
        }
    }

    @Test
    void theReferenceFileNamesEveryKey() throws IOException {
        assertThat(keys(Files.readString(REFERENCE))).containsAll(keys(EVERY_KEY));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    workers:\\n  connections: many         | f.yaml:2:16: workers.connections: 'many' (expected: a whole number 2..10000)
                    workers:\\n  connections: 1            | f.yaml:2:16: workers.connections: '1' (expected: a whole number 2..10000)
                    workers:\\n  connections: 10001        | f.yaml:2:16: workers.connections: '10001' (expected: a whole number 2..10000)
                    workers:\\n  connections: -3           | f.yaml:2:16: workers.connections: '-3' (expected: a whole number 2..10000)
                    workers:\\n  connections: 2.5          | f.yaml:2:16: workers.connections: '2.5' (expected: a whole number 2..10000)
                    workers:\\n  connections: 99999999999999999999 | f.yaml:2:16: workers.connections: '99999999999999999999' (expected: a whole number 2..10000)
                    workers:\\n  connections: [8]          | f.yaml:2:16: workers.connections: a list (expected: a whole number 2..10000)
                    workers:\\n  connections-per-user: 1   | f.yaml:2:25: workers.connections-per-user: '1' (expected: a whole number 2..10000)
                    workers:\\n  queue-length: -1          | f.yaml:2:17: workers.queue-length: '-1' (expected: a whole number 0..10000)
                    workers:\\n  queue-wait: 200           | f.yaml:2:15: workers.queue-wait: '200' (expected: a duration 0ms..10m, with unit ms, s, m or h)
                    workers:\\n  queue-wait: 11m           | f.yaml:2:15: workers.queue-wait: '11m' (expected: a duration 0ms..10m, with unit ms, s, m or h)
                    fan-out:\\n  enabled: yes              | f.yaml:2:12: fan-out.enabled: 'yes' (expected: true or false)
                    fan-out:\\n  consistency: STRICT       | f.yaml:2:16: fan-out.consistency: 'STRICT' (expected: strict or relaxed)
                    fan-out:\\n  min-rows: -1              | f.yaml:2:13: fan-out.min-rows: '-1' (expected: a whole number >= 0)
                    limits:\\n  statement-size: 64KB       | f.yaml:2:19: limits.statement-size: '64KB' (expected: a size 1KiB..16MiB, with unit B, KiB, MiB or GiB)
                    limits:\\n  query-memory: 497MiB       | f.yaml:2:17: limits.query-memory: '497MiB' (expected: auto or a size 1MiB..496MiB, with unit B, KiB, MiB or GiB; limits.total-memory is 496MiB, the heap (-Xmx) is 1GiB)
                    limits:\\n  connections: many          | f.yaml:2:16: limits.connections: 'many' (expected: auto or a whole number 1..104857; the heap (-Xmx) is 1GiB)
                    limits:\\n  total-memory: 683MiB       | f.yaml:2:17: limits.total-memory: '683MiB' (expected: auto or a size 1MiB..682MiB, with unit B, KiB, MiB or GiB; the heap (-Xmx) is 1GiB)
                    listener:\\n  port: 3307\\n  prot: 1   | f.yaml:3:3: listener.prot: unknown key (expected: host, port, backlog, keep-alive, proxy-protocol-networks, socket, tls, compression)
                    listener:\\n  socket: fanfold.sock           | f.yaml:2:11: listener.socket: 'fanfold.sock' (expected: an absolute path of at most 103 bytes)
                    listener:\\n  socket:                        | f.yaml:2:10: listener.socket: nothing (expected: a text)
                    listener:\\n  proxy-protocol-networks: 10.0.0.1 | f.yaml:2:28: listener.proxy-protocol-networks: '10.0.0.1' (expected: a list of addresses and networks, such as 10.1.2.3, 10.1.0.0/16 and "fd00::/8")
                    listener:\\n  proxy-protocol-networks:\\n  - 10.0.0.1\\n  - 10.0.0.0/33 | f.yaml:4:5: listener.proxy-protocol-networks: '10.0.0.0/33' (expected: addresses and networks, such as 10.1.2.3, 10.1.0.0/16 and "fd00::/8")
                    listener:\\n  proxy-protocol-networks: [[]]  | f.yaml:2:29: listener.proxy-protocol-networks: a list (expected: addresses and networks, such as 10.1.2.3, 10.1.0.0/16 and "fd00::/8")
                    listner:\\n  port: 3307                | f.yaml:1:1: listner: unknown key (expected: listener, backend, workers, fan-out, limits, log)
                    listener:\\n  port: 1\\n  port: 2      | f.yaml:3:3: listener.port: the key stands here again (expected: once, as in line 2)
                    listener:\\n  host:                    | f.yaml:2:8: listener.host: nothing (expected: a text)
                    backend:\\n  proxy-protocol: v3          | f.yaml:2:19: backend.proxy-protocol: 'v3' (expected: off or v1 or v2)
                    listener: {tls: {mode: disabled}}\\nbackend:\\n  tls: {mode: preferred} | f.yaml:3:15: backend.tls.mode: 'preferred' beside listener.tls.mode: disabled refuses every client over TCP (expected: as_client, clear-clients: allow beside it, or another listener.tls.mode)
                    backend:\\n  host: a b                 | f.yaml:2:9: backend.host: 'a b' (expected: a host name or an address, without port, blanks or brackets)
                    backend:\\n  host: db:3306             | f.yaml:2:9: backend.host: 'db:3306' (expected: a host name or an address, without port, blanks or brackets)
                    backend:\\n  host: '[::1]'             | f.yaml:2:9: backend.host: '[::1]' (expected: a host name or an address, without port, blanks or brackets)
                    listener: 3307                         | f.yaml:1:11: listener: '3307' (expected: a group of keys)
                    - listener                             | f.yaml:1:1: a list (expected: groups of keys)
                    listener:\\n  host: *a                 | f.yaml:2:9: listener.host: an anchor or alias (expected: the value itself)
                    listener:\\n  port: 1\\n---\\na: 1     | f.yaml:4:1: a second document (expected: one document)
                    workers:\\n  user: u\\n  password-env: NOT_THERE | f.yaml:3:17: workers.password-env: 'NOT_THERE' is not set (expected: the name of a variable in the environment)
                    workers:\\n  password-env: A\\n  password-file: b | f.yaml:3:18: workers.password-file: stands beside password-env (expected: one of the two)
                    """)
    void saysWhereAndWhatIsWrong(String text, String message) {
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> parse(text.replace("\\n", "\n")))
                .withMessage(message);
    }

    @Test
    void namesThePlaceWhereTheTextIsNotYaml() {
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> parse("listener:\n  port: 'open\n"))
                .withMessageStartingWith("f.yaml:")
                .withMessageContaining("not YAML")
                .satisfies(e -> assertThat(e.line()).isBetween(2, 3));
    }

    @Test
    void refusesAPasswordInTheFileWithoutShowingIt() {
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> parse("workers:\n  user: u\n  password: hunter2\n"))
                .withMessageStartingWith("f.yaml:3:3: workers.password: a password does not belong in this file")
                .withMessageContaining("password-env")
                .withMessageContaining("password-file")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("hunter2"));
    }

    @Test
    void takesThePasswordFromTheUsualVariable() {
        assertThat(parse("workers:\n  user: u\n").workers().password()).isEqualTo(new Secret("usual"));
    }

    @Test
    void readsNoPasswordWithoutAnAccount() {
        assertThat(parse("workers:\n  password-env: NOT_THERE\n").workers().password())
                .isEqualTo(Secret.EMPTY);
    }

    @Test
    void takesThePasswordFromAFileBesideTheSettings() throws IOException {
        Files.writeString(directory.resolve("secret"), "p w\n");
        Path file = Files.writeString(directory.resolve("f.yaml"), "workers:\n  user: u\n  password-file: secret\n");
        assertThat(loader.load(file).workers().password()).isEqualTo(new Secret("p w"));
    }

    @Test
    void namesAPasswordFileThatIsMissingOrEmpty() throws IOException {
        Path file = Files.writeString(directory.resolve("f.yaml"), "workers:\n  user: u\n  password-file: secret\n");
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> loader.load(file))
                .withMessageStartingWith("f.yaml:3:18: workers.password-file: 'secret' cannot be read");
        Files.writeString(directory.resolve("secret"), "\n");
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> loader.load(file))
                .withMessageStartingWith("f.yaml:3:18: workers.password-file: 'secret' is empty");
    }

    @Test
    void namesAFileThatIsMissingOrNotText() throws IOException {
        Path missing = directory.resolve("none.yaml");
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> loader.load(missing))
                .withMessage(missing + ": there is no such file");
        Path binary = Files.write(directory.resolve("b.yaml"), new byte[] {(byte) 0xc3, 0x28});
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> loader.load(binary))
                .withMessage(binary + ": not UTF-8 text");
    }

    private FanfoldConfig parse(String text) {
        return loader.parse("f.yaml", text, null);
    }

    /** The names of the keys with a value, commented out or not, by group. */
    private static List<String> keys(String yaml) {
        List<String> keys = new ArrayList<>();
        Matcher line =
                Pattern.compile("(?m)^(?:([a-z-]+):|  (?:# )?([a-z-]+): \\S+)$").matcher(yaml);
        String group = "";
        while (line.find()) {
            if (line.group(1) != null) {
                group = line.group(1);
            } else {
                keys.add(group + "." + line.group(2));
            }
        }
        return keys;
    }
}
