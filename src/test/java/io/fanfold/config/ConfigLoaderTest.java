package io.fanfold.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fanfold.config.ReplicaReads.ReadFrom;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
              reuse-port: true
              tls:
                mode: disabled
                certificate: server.pem
                key: server.key
                client-ca: clients.pem
                require-client-certificate: true
                directory: /var/lib/fanfold
              compression: off
            backend:
              hosts:
                - host: db.example
                  port: 3310
                - host: "fd00::3"
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
              servers:
                - host: replica1.example
                  port: 3311
                  weight: 3
                - host: "fd00::2"
              read-from: any
              replica-wait: 35ms
              staleness: 20s
              servers-per-fan-out: 3
            fan-out:
              mode: observe
              degree: 4
              min-rows: 1_000
              consistency: relaxed
              snapshot-rounds: 3
              snapshot-time: 75ms
              table-locks: allow
              lock-wait: 35ms
              split-plain-count: true
              key-ranges: off
              approximate: allow
              dynamic-filters: off
              filter-keys: 77
              reuse: on
              reuse-wait: 45ms
              transactions: off
              transaction-idle: 250ms
              catalog-refresh: 30s
            tables:
              shop.orders:
                mode: on
                degree: 3
                min-rows: 7
                consistency: strict
                table-locks: refuse
                key-ranges: on
                approximate: refuse
                dynamic-filters: on
                reuse: off
                read-from: replica
                verify-share: 100%
              "log_*.*":
                mode: off
            accounts:
              "r*":
                mode: off
                reuse: off
                read-from: primary
            limits:
              statement-size: 128KiB
              query-memory: 63MiB
              total-memory: 200MiB
              reuse-memory: 33MiB
              held-answer: 3MiB
              final-query-rows: 500
              connections: 77
              slow-client: 5s
              handshake-timeout: 10s
              drain-time: 3s
            verify:
              share: 0.25%
              connections: 3
              time: 10s
              directory: .
              literals: true
            http:
              enabled: true
              host: 0.0.0.0
              port: 8080
              token-env: HTTP_TOKEN
              tls:
                # these files must exist
                certificate: pom.xml
                key: README.md
                client-ca: LICENSE
            log:
              level: debug
              format: json
              slow: 1s
            """;

    private static final String TABLE_NAME =
            "(expected: schema.table, such as shop.orders or \"log_*.*\"; put a name in back"
                    + " quotes if it contains a dot, a back quote, * or ?, or a blank at its start or end:"
                    + " \"`my.shop`.orders\")";

    private static final String TOKEN = "Zm9yIHRlc3RzIG9ubHk=";

    private static final HeapShares HEAP = new HeapShares(1 << 30);

    private final ConfigLoader loader = new ConfigLoader(
            Map.of(
                    "WORKER_SECRET",
                    "s3cret",
                    ConfigLoader.PASSWORD_VARIABLE,
                    "usual",
                    "HTTP_TOKEN",
                    TOKEN,
                    "SHORT_TOKEN",
                    "secret")::get,
            HEAP);

    @TempDir
    Path directory;

    private static FanfoldConfig defaults() {
        return new FanfoldConfig(
                ListenerConfig.defaults(),
                BackendConfig.defaults(),
                WorkersConfig.defaults(),
                FanOutConfig.defaults(),
                TablesConfig.defaults(),
                AccountsConfig.defaults(),
                LimitsConfig.of(HEAP),
                VerifyConfig.defaults(),
                HttpConfig.defaults(),
                LogConfig.defaults());
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
                        .withReusePort(true)
                        .withTls(ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.DISABLED)
                                .withCertificate(Path.of("server.pem"), Path.of("server.key"))
                                .withClientCa(Path.of("clients.pem"), true)
                                .withDirectory(Path.of("/var/lib/fanfold")))
                        .withCompression(ListenerConfig.ClientCompression.OFF),
                new BackendConfig("db.example", 3310, Duration.ofMillis(250), Duration.ofSeconds(20))
                        .withHosts(List.of(new HostPort("db.example", 3310), new HostPort("fd00::3", 3306)))
                        .withProxyProtocol(BackendConfig.ProxyProtocol.V2)
                        .withTls(BackendTlsConfig.of(BackendTlsConfig.BackendTlsMode.DISABLED)
                                .with(BackendTlsConfig.Verify.VERIFY_IDENTITY, Path.of("ca.pem"))
                                .withCertificate(Path.of("proxy.pem"), Path.of("proxy.key"))
                                .withClearClients(BackendTlsConfig.ClearClients.ALLOW)
                                .withShowCertificate(BackendTlsConfig.ShowCertificate.ALWAYS))
                        .withCompression(BackendConfig.ServerCompression.ZSTD),
                new WorkersConfig(
                        "fanfold",
                        new Secret("s3cret"),
                        12,
                        6,
                        20,
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(2),
                        Duration.ofHours(1),
                        List.of(new ReplicaConfig("replica1.example", 3311, 3), new ReplicaConfig("fd00::2", 3306, 1))),
                new FanOutConfig(
                        FanOutConfig.Mode.OBSERVE,
                        4,
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
                        FanOutConfig.KeyRanges.OFF,
                        FanOutConfig.Approximate.ALLOW,
                        new FilterConfig(FilterConfig.Dynamic.OFF, 77),
                        new ReuseConfig(ReuseConfig.Reuse.ON, Duration.ofMillis(45)),
                        new ReplicaReads(ReadFrom.ANY, Duration.ofMillis(35), Duration.ofSeconds(20), 3),
                        new TransactionConfig(TransactionConfig.Splits.OFF, Duration.ofMillis(250)),
                        Duration.ofSeconds(30),
                        0.0025),
                new TablesConfig(List.of(
                        new TableEntry(
                                TablePattern.parse("shop.orders").orElseThrow(),
                                FanOutConfig.Mode.ON,
                                3,
                                7L,
                                SnapshotConfig.Consistency.STRICT,
                                SnapshotConfig.TableLocks.REFUSE,
                                FanOutConfig.KeyRanges.ON,
                                FanOutConfig.Approximate.REFUSE,
                                FilterConfig.Dynamic.ON,
                                ReuseConfig.Reuse.OFF,
                                ReadFrom.REPLICA,
                                1.0),
                        new TableEntry(
                                TablePattern.parse("log_*.*").orElseThrow(),
                                FanOutConfig.Mode.OFF,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null,
                                null))),
                new AccountsConfig(List.of(new AccountsConfig.AccountEntry(
                        TablePattern.NamePattern.of("r*"),
                        FanOutConfig.Mode.OFF,
                        ReuseConfig.Reuse.OFF,
                        ReadFrom.PRIMARY))),
                new LimitsConfig(
                        128 << 10,
                        63 << 20,
                        200 << 20,
                        33 << 20,
                        3 << 20,
                        500,
                        77,
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(3)),
                new VerifyConfig(3, Duration.ofSeconds(10), Path.of("."), true),
                HttpConfig.defaults()
                        .withEnabled(true)
                        .withHost("0.0.0.0")
                        .withPort(8080)
                        .withToken(new Secret(TOKEN))
                        .withTls(ListenerTlsConfig.of(ListenerTlsConfig.ListenerTlsMode.REQUIRED)
                                .withCertificate(Path.of("pom.xml"), Path.of("README.md"))
                                .withClientCa(Path.of("LICENSE"), false)),
                new LogConfig(LogConfig.Level.DEBUG, LogConfig.Format.JSON, Duration.ofSeconds(1)));
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

    @Test
    void theReferenceFileShowsEveryKeyOfATable() throws Exception {
        String reference = Files.readString(REFERENCE);
        String group = reference.substring(reference.indexOf("\ntables:"), reference.indexOf("\n# Limits of memory"));
        String shown = group.replaceAll("(?m)^( +)# (\\S+:(?: \\S+)?)$", "$1$2");
        List<TableEntry> entries = parse(shown).tables().entries();
        assertThat(entries).extracting(entry -> entry.name().text()).containsExactly("shop.orders", "log_*.*");
        for (var component : TableEntry.class.getRecordComponents()) {
            assertThat(component.getAccessor().invoke(entries.get(0)))
                    .as(component.getName())
                    .isNotNull();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    verify:\\n  share: 0.1                  | f.yaml:2:10: verify.share: '0.1' (expected: a percentage 0%..100%, such as 0.1%)
                    verify:\\n  share: 101%                 | f.yaml:2:10: verify.share: '101%' (expected: a percentage 0%..100%, such as 0.1%)
                    verify:\\n  time: 1ms                   | f.yaml:2:9: verify.time: '1ms' (expected: a duration 100ms..1h, with unit ms, s, m or h)
                    verify:\\n  directory: /nowhere/at/all   | f.yaml:2:14: verify.directory: '/nowhere/at/all' (expected: a directory that exists)
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
                    fan-out:\\n  mode: yes                 | f.yaml:2:9: fan-out.mode: 'yes' (expected: off or observe or on)
                    fan-out:\\n  enabled: true             | f.yaml:2:3: fan-out.enabled: no such key (expected: mode: on, observe or off)
                    fan-out:\\n  consistency: STRICT       | f.yaml:2:16: fan-out.consistency: 'STRICT' (expected: strict or relaxed)
                    fan-out:\\n  min-rows: -1              | f.yaml:2:13: fan-out.min-rows: '-1' (expected: a whole number >= 0)
                    limits:\\n  statement-size: 64KB       | f.yaml:2:19: limits.statement-size: '64KB' (expected: a size 1KiB..16MiB, with unit B, KiB, MiB or GiB)
                    limits:\\n  query-memory: 497MiB       | f.yaml:2:17: limits.query-memory: '497MiB' (expected: auto or a size 1MiB..496MiB, with unit B, KiB, MiB or GiB; limits.total-memory is 496MiB, the heap (-Xmx) is 1GiB)
                    limits:\\n  connections: many          | f.yaml:2:16: limits.connections: 'many' (expected: auto or a whole number 1..104857; the heap (-Xmx) is 1GiB)
                    limits:\\n  total-memory: 683MiB       | f.yaml:2:17: limits.total-memory: '683MiB' (expected: auto or a size 1MiB..682MiB, with unit B, KiB, MiB or GiB; the heap (-Xmx) is 1GiB)
                    listener:\\n  port: 3307\\n  prot: 1   | f.yaml:3:3: listener.prot: unknown key, did you mean port? (expected: host, port, backlog, keep-alive, proxy-protocol-networks, socket, reuse-port, tls, compression)
                    listener:\\n  socket: fanfold.sock           | f.yaml:2:11: listener.socket: 'fanfold.sock' (expected: an absolute path of at most 103 bytes)
                    listener:\\n  socket:                        | f.yaml:2:10: listener.socket: nothing (expected: a text)
                    listener:\\n  proxy-protocol-networks: 10.0.0.1 | f.yaml:2:28: listener.proxy-protocol-networks: '10.0.0.1' (expected: a list of addresses and networks, such as 10.1.2.3, 10.1.0.0/16 and "fd00::/8")
                    listener:\\n  proxy-protocol-networks:\\n  - 10.0.0.1\\n  - 10.0.0.0/33 | f.yaml:4:5: listener.proxy-protocol-networks: '10.0.0.0/33' (expected: addresses and networks, such as 10.1.2.3, 10.1.0.0/16 and "fd00::/8")
                    listener:\\n  proxy-protocol-networks: [[]]  | f.yaml:2:29: listener.proxy-protocol-networks: a list (expected: addresses and networks, such as 10.1.2.3, 10.1.0.0/16 and "fd00::/8")
                    listner:\\n  port: 3307                | f.yaml:1:1: listner: unknown key, did you mean listener? (expected: listener, backend, workers, fan-out, tables, accounts, limits, verify, http, log)
                    listener:\\n  port: 1\\n  port: 2      | f.yaml:3:3: listener.port: duplicate key (expected: once; the other one is in line 2)
                    listener:\\n  host:                    | f.yaml:2:8: listener.host: nothing (expected: a text)
                    backend:\\n  proxy-protocol: v3          | f.yaml:2:19: backend.proxy-protocol: 'v3' (expected: off or v1 or v2)
                    listener: {tls: {mode: disabled}}\\nbackend:\\n  tls: {mode: preferred} | f.yaml:3:15: backend.tls.mode: 'preferred' with listener.tls.mode: disabled refuses every client over TCP (expected: as_client, or clear-clients: allow as well, or another listener.tls.mode)
                    backend:\\n  host: a\\n  hosts: [{host: b}]\\nworkers: {user: w} | f.yaml:2:3: backend.host: not together with hosts (expected: this server as an entry of hosts)
                    backend:\\n  port: 1\\n  hosts: [{host: b}]\\nworkers: {user: w} | f.yaml:2:3: backend.port: not together with hosts (expected: this server as an entry of hosts)
                    backend:\\n  hosts:\\n  - port: 1\\nworkers: {user: w} | f.yaml: backend.hosts[1].host: is missing (expected: the host name or address of a server)
                    backend:\\n  hosts: [{host: b}]\\nworkers:\\n  connections: 4 | f.yaml: workers.user: is missing (expected: an account, which asks each of backend.hosts whether it is read-only)
                    backend:\\n  host: a b                 | f.yaml:2:9: backend.host: 'a b' (expected: a host name or an address, without port, blanks or brackets)
                    backend:\\n  host: db:3306             | f.yaml:2:9: backend.host: 'db:3306' (expected: a host name or an address, without port, blanks or brackets)
                    backend:\\n  host: '[::1]'             | f.yaml:2:9: backend.host: '[::1]' (expected: a host name or an address, without port, blanks or brackets)
                    listener: 3307                         | f.yaml:1:11: listener: '3307' (expected: a group of keys)
                    - listener                             | f.yaml:1:1: a list (expected: groups of keys)
                    listener:\\n  host: *a                 | f.yaml:2:9: listener.host: an anchor or alias (expected: the value itself)
                    listener:\\n  port: 1\\n---\\na: 1     | f.yaml:4:1: a second document (expected: one document)
                    workers:\\n  user: u\\n  password-env: NOT_THERE | f.yaml:3:17: workers.password-env: 'NOT_THERE' is not set (expected: the name of a variable in the environment)
                    listener:\\n  colour: red            | f.yaml:2:3: listener.colour: unknown key (expected: host, port, backlog, keep-alive, proxy-protocol-networks, socket, reuse-port, tls, compression)
                    listener:\\n  tls: {mode: disabled, key: k.pem} | f.yaml:2:30: listener.tls.key: is set and certificate is not (expected: both or neither)
                    listener:\\n  tls: {mode: disabled, certificate: c.pem} | f.yaml:2:38: listener.tls.certificate: is set and key is not (expected: both or neither)
                    listener:\\n  tls: {require-client-certificate: true} | f.yaml:2:37: listener.tls.require-client-certificate: 'true' without client-ca (expected: client-ca as well)
                    listener:\\n  tls: {client-ca: none.pem, require-client-certificate: true} | f.yaml:2:20: listener.tls.client-ca: 'none.pem' cannot be read (expected: a readable PEM file)
                    backend:\\n  tls: {mode: disabled, ca: ca.pem} | f.yaml:2:29: backend.tls.ca: has no effect with verify: disabled (expected: verify: verify_ca or verify_identity)
                    tables:\\n  orders: {degree: 4}      | f.yaml:2:3: tables.orders: 'orders' is not the name of a table TABLE_NAME
                    tables:\\n  shop.: {degree: 4}       | f.yaml:2:3: tables.shop.: 'shop.' is not the name of a table TABLE_NAME
                    tables:\\n  a.b.c: {degree: 4}       | f.yaml:2:3: tables.a.b.c: 'a.b.c' is not the name of a table TABLE_NAME
                    tables:\\n  '`a.b': {degree: 4}      | f.yaml:2:3: tables.`a.b: '`a.b' is not the name of a table TABLE_NAME
                    tables:\\n  '`a`x.b': {degree: 4}    | f.yaml:2:3: tables.`a`x.b: '`a`x.b' is not the name of a table TABLE_NAME
                    tables:\\n  'a .b': {degree: 4}      | f.yaml:2:3: tables.a .b: 'a .b' is not the name of a table TABLE_NAME
                    tables:\\n  a.b: {}\\n  '`a`.b': {} | f.yaml:3:3: tables.`a`.b: duplicate table (expected: once; the other one is in line 2)
                    tables:\\n  a.b: {}\\n  a.b: {}     | f.yaml:3:3: tables.a.b: duplicate key (expected: once; the other one is in line 2)
                    tables:\\n  a.b: 8                   | f.yaml:2:8: tables.a.b: '8' (expected: a group of keys)
                    tables:\\n  a.b: {degre: 8}          | f.yaml:2:9: tables.a.b.degre: unknown key, did you mean degree? (expected: mode, degree, min-rows, consistency, table-locks, key-ranges, approximate, dynamic-filters, reuse, read-from, verify-share)
                    tables:\\n  a.b: {mode: maybe}        | f.yaml:2:15: tables.a.b.mode: 'maybe' (expected: off or observe or on)
                    accounts:\\n  app: {mode: maybe}      | f.yaml:2:15: accounts.app.mode: 'maybe' (expected: off or observe or on)
                    accounts:\\n  app: {reuse: maybe}     | f.yaml:2:16: accounts.app.reuse: 'maybe' (expected: off or on)
                    accounts:\\n  app: {degree: 4}        | f.yaml:2:9: accounts.app.degree: unknown key (expected: mode, reuse, read-from)
                    workers: {servers: 8}                 | f.yaml:1:20: workers.servers: '8' (expected: a list of groups of keys)
                    workers: {servers: [a]}               | f.yaml:1:21: workers.servers: 'a' (expected: a group of keys)
                    workers:\\n  servers: [{host: a}, {port: 1}] | f.yaml: workers.servers[2].host: is missing (expected: the host name or address of a replica)
                    workers:\\n  servers: [{host: a, weight: 0}] | f.yaml:2:31: workers.servers[1].weight: '0' (expected: a whole number 1..1000)
                    workers: {read-from: any}             | f.yaml:1:22: workers.read-from: 'any' without servers (expected: the replicas in servers as well)
                    tables:\\n  a.b: {degree: 0}          | f.yaml:2:17: tables.a.b.degree: '0' (expected: a whole number 1..1000)
                    tables:\\n  a.b: {min-rows: few}      | f.yaml:2:19: tables.a.b.min-rows: 'few' (expected: a whole number >= 0)
                    tables:\\n  a.b: {consistency: lax}   | f.yaml:2:22: tables.a.b.consistency: 'lax' (expected: strict or relaxed)
                    tables:\\n  a.b: {table-locks: yes}   | f.yaml:2:22: tables.a.b.table-locks: 'yes' (expected: TABLE_LOCKS)
                    tables:\\n  a.b: {approximate: yes}   | f.yaml:2:22: tables.a.b.approximate: 'yes' (expected: refuse or allow)
                    tables:\\n  a.b: {catalog-refresh: 1s} | f.yaml:2:9: tables.a.b.catalog-refresh: unknown key (expected: mode, degree, min-rows, consistency, table-locks, key-ranges, approximate, dynamic-filters, reuse, read-from, verify-share)
                    http:\\n  port: 65536                   | f.yaml:2:9: http.port: '65536' (expected: a whole number 0..65535)
                    http:\\n  token: abc                    | f.yaml:2:3: http.token: a token does not belong in this file (expected: token-env with the name of an environment variable, or token-file with the path of a file that holds only the token)
                    http: {enabled: true, host: 0.0.0.0}   | f.yaml:1:29: http.host: '0.0.0.0' is not a loopback address, and there is neither a token nor a client CA (expected: http.token-env, http.token-file or http.tls.client-ca as well, or 127.0.0.1)
                    http: {tls: {client-ca: pom.xml}}      | f.yaml:1:25: http.tls.client-ca: is set and certificate is not (expected: certificate and key as well)
                    http: {tls: {certificate: pom.xml}}    | f.yaml:1:27: http.tls.certificate: is set and key is not (expected: both or neither)
                    http: {token-env: NOT_THERE}           | f.yaml:1:19: http.token-env: 'NOT_THERE' is not set (expected: the name of a variable in the environment)
                    http: {token-env: SHORT_TOKEN}         | f.yaml:1:19: http.token-env: the token is too short or has other characters (expected: 16 or more letters, digits, ._~+/-=)
                    workers:\\n  password-env: A\\n  password-file: b | f.yaml:3:18: workers.password-file: is set and password-env too (expected: one of the two)
                    """)
    void mistakesAreReportedWithTheirPlace(String text, String message) {
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> parse(text.replace("\\n", "\n")))
                .withMessage(message.replace("TABLE_NAME", TABLE_NAME).replace("TABLE_LOCKS", tableLocks()));
    }

    private static String tableLocks() {
        return Stream.of(SnapshotConfig.TableLocks.values())
                .map(each -> each.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(" or "));
    }

    @Test
    void reportsEveryMistakeInTheOrderOfTheFile() {
        assertMistakes(
                """
                listner: {}
                listener:
                  port: many
                  host: a b
                  port: 7
                  proxy-protocol-networks: [10.0.0.1, x, y]
                  socket: s
                  tls: {mode: on, certificate: c.pem, colour: red}
                backend: 3306
                workers:
                  user: u
                  password: hunter2
                  connections: *c
                  queue-wait: 200
                  idle-timeout: !x 2m
                fan-out:
                  mode: yes
                  consistency: lax
                tables:
                  orders: {degre: 3}
                  shop.orders: {degree: 0, mode: 1}
                limits:
                  total-memory: 900
                  query-memory: 600MiB
                log: [debug]
                """,
                "f.yaml:1:1: listner: unknown key, did you mean listener? (expected: listener, backend, workers,"
                        + " fan-out, tables, accounts, limits, verify, http, log)",
                "f.yaml:3:9: listener.port: 'many' (expected: a whole number 0..65535)",
                "f.yaml:4:9: listener.host: 'a b' (expected: a host name or an address, without port, blanks or"
                        + " brackets)",
                "f.yaml:5:3: listener.port: duplicate key (expected: once; the other one is in line 3)",
                "f.yaml:6:39: listener.proxy-protocol-networks: 'x' (expected: addresses and networks, such as"
                        + " 10.1.2.3, 10.1.0.0/16 and \"fd00::/8\")",
                "f.yaml:6:42: listener.proxy-protocol-networks: 'y' (expected: addresses and networks, such as"
                        + " 10.1.2.3, 10.1.0.0/16 and \"fd00::/8\")",
                "f.yaml:7:11: listener.socket: 's' (expected: an absolute path of at most 103 bytes)",
                "f.yaml:8:15: listener.tls.mode: 'on' (expected: disabled or preferred or required or passthrough or as_server)",
                "f.yaml:8:32: listener.tls.certificate: 'c.pem' cannot be read (expected: a readable PEM file)",
                "f.yaml:8:32: listener.tls.certificate: is set and key is not (expected: both or neither)",
                "f.yaml:8:39: listener.tls.colour: unknown key (expected: mode, certificate, key, client-ca,"
                        + " require-client-certificate, directory)",
                "f.yaml:9:10: backend: '3306' (expected: a group of keys)",
                "f.yaml:12:3: workers.password: a password does not belong in this file (expected: password-env with"
                        + " the name of an environment variable, or password-file with the path of a file that holds"
                        + " only the password)",
                "f.yaml:13:16: workers.connections: an anchor or alias (expected: the value itself)",
                "f.yaml:14:15: workers.queue-wait: '200' (expected: a duration 0ms..10m, with unit ms, s, m or h)",
                "f.yaml:15:17: workers.idle-timeout: a tag (expected: a value without a tag)",
                "f.yaml:17:9: fan-out.mode: 'yes' (expected: off or observe or on)",
                "f.yaml:18:16: fan-out.consistency: 'lax' (expected: strict or relaxed)",
                "f.yaml:20:3: tables.orders: 'orders' is not the name of a table " + TABLE_NAME,
                "f.yaml:20:12: tables.orders.degre: unknown key, did you mean degree? (expected: mode, degree,"
                        + " min-rows, consistency, table-locks, key-ranges, approximate, dynamic-filters, reuse, read-from, verify-share)",
                "f.yaml:21:25: tables.shop.orders.degree: '0' (expected: a whole number 1..1000)",
                "f.yaml:21:34: tables.shop.orders.mode: '1' (expected: off or observe or on)",
                "f.yaml:23:17: limits.total-memory: '900' (expected: auto or a size 1MiB..682MiB, with unit B, KiB,"
                        + " MiB or GiB; the heap (-Xmx) is 1GiB)",
                "f.yaml:25:6: log: a list (expected: a group of keys)");
    }

    @Test
    void reportsMistakesBeforeTheTextThatIsNotYaml() {
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> parse("""
                        workers:
                          connections: many
                          lights: on
                        listener:
                          tls:
                            key: k.pem
                            mode: 'open
                        """))
                .satisfies(e -> assertThat(texts(e)).hasSize(4).satisfies(texts -> {
                    assertThat(texts.get(0)).startsWith("f.yaml:2:16: workers.connections: 'many'");
                    assertThat(texts.get(1)).startsWith("f.yaml:3:3: workers.lights: unknown key");
                    // the missing certificate is not reported, since the rest of the file may contain it
                    assertThat(texts.get(2)).startsWith("f.yaml:6:10: listener.tls.key: 'k.pem' cannot be read");
                    assertThat(texts.get(3)).startsWith("f.yaml:").contains(": not YAML: ");
                }));
    }

    @Test
    void saysThatAPatternNeedsQuotationMarks() {
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> parse("tables:\n  *.*: {mode: off}\n"))
                .withMessageStartingWith("f.yaml:2:4: not YAML: while scanning an alias, ")
                .withMessageEndingWith("(expected: a pattern that begins with * in quotation marks, such as \"*.*\")");
    }

    @Test
    void anEntryWithoutKeysIsRead() {
        TableEntry entry = parse("tables:\n  a.b:\n").tables().entries().get(0);
        assertThat(entry.over(FanOutConfig.defaults())).isEqualTo(FanOutConfig.defaults());
    }

    @Test
    void theStarterFileHasTheKeysThatMostUsersNeed() throws IOException {
        Path starter = Path.of("config", "starter.yaml");
        FanfoldConfig config = loader.load(starter);
        assertThat(config.workers().enabled()).isTrue();
        assertThat(config.workers().password()).isEqualTo(new Secret("usual"));
        assertThat(Files.readAllLines(starter).stream().filter(line -> line.matches(" +[a-z-]+: .*")))
                .hasSize(6);
        assertThat(config.with(
                        config.listener().at("127.0.0.1", 3307),
                        config.backend().at("127.0.0.1", 3306),
                        WorkersConfig.defaults()))
                .as("all else is as by default")
                .isEqualTo(defaults());
    }

    private void assertMistakes(String text, String... expected) {
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> parse(text))
                .withMessage(String.join("\n", expected))
                .satisfies(e -> assertThat(texts(e)).containsExactly(expected));
    }

    private static List<String> texts(ConfigException exception) {
        return exception.mistakes().stream().map(ConfigException.Mistake::text).toList();
    }

    @Test
    void reportsThePlaceOfTextThatIsNotYaml() {
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> parse("listener:\n  port: 'open\n"))
                .withMessageStartingWith("f.yaml:")
                .withMessageContaining("not YAML")
                .satisfies(e -> assertThat(e.mistakes().get(0).line()).isBetween(2, 3));
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

    /** As in the unit for systemd: root alone may read the file, and the service has a copy. */
    @Test
    void takesThePasswordFromSystemdIfItMayNotReadTheFile() throws IOException {
        Path credentials = Files.createDirectory(directory.resolve("credentials"));
        Files.writeString(credentials.resolve("worker-password"), "of systemd");
        ConfigLoader service =
                new ConfigLoader(variable -> variable.equals("CREDENTIALS_DIRECTORY") ? credentials.toString() : null);
        Path file = Files.writeString(
                directory.resolve("f.yaml"), "workers:\n  user: u\n  password-file: secrets/worker-password\n");
        assertThat(service.load(file).workers().password()).isEqualTo(new Secret("of systemd"));
        Files.writeString(
                Files.createDirectory(directory.resolve("secrets")).resolve("worker-password"), "of the file");
        assertThat(service.load(file).workers().password()).isEqualTo(new Secret("of the file"));
        Files.delete(credentials.resolve("worker-password"));
        Files.delete(directory.resolve("secrets/worker-password"));
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> service.load(file))
                .withMessageContaining("workers.password-file: 'secrets/worker-password' cannot be read");
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

    /** Returns the names of the keys that have a value, commented out or not, by group. */
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
