package io.fanfold.config;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads the settings file (YAML, UTF-8). Missing keys have their defaults; unknown keys are errors. The worker
 * account's password is read from an environment variable or a separate file. Immutable and safe for use by multiple
 * threads.
 */
public final class ConfigLoader {
    /** The environment variable used if neither {@code password-env} nor {@code password-file} is set. */
    public static final String PASSWORD_VARIABLE = "FANFOLD_WORKER_PASSWORD";

    private static final String WITH_HOSTS = "not together with hosts (expected: this server as an entry of hosts)";

    private static final Duration DAY = Duration.ofHours(24);
    private static final Duration MOST_KEEP_ALIVE = Duration.ofHours(2);
    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);
    private static final long TEBIBYTE = 1L << 40;

    /** The longest socket path on the operating system with the smallest limit. */
    private static final int MOST_SOCKET_BYTES = 103;

    private final Environment environment;
    private final HeapShares heap;

    /** Reads environment variables; returns null for a variable that is not set. */
    @FunctionalInterface
    public interface Environment {
        @Nullable
        String value(String name);
    }

    /** @param environment reads the environment's variables, in production {@code System::getenv} */
    public ConfigLoader(Environment environment) {
        this(environment, HeapShares.ofThisProcess());
    }

    /**
     * Creates a loader for a heap other than that of this process.
     *
     * @param environment reads the environment's variables
     * @param heap the heap from which limits are derived and against which they are checked
     */
    ConfigLoader(Environment environment, HeapShares heap) {
        this.environment = environment;
        this.heap = heap;
    }

    /**
     * Reads a file.
     *
     * @throws ConfigException if the file cannot be read or is wrong. It reports all mistakes, except those after text
     *     that is not YAML
     */
    public FanfoldConfig load(Path file) {
        return parse(
                String.valueOf(file.getFileName()),
                text(file),
                file.toAbsolutePath().getParent());
    }

    /** @throws ConfigException if the file cannot be read */
    static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw new ConfigException(file.toString(), "there is no such file");
        } catch (CharacterCodingException e) {
            throw new ConfigException(file.toString(), "not UTF-8 text");
        } catch (IOException e) {
            throw new ConfigException(file.toString(), "cannot be read: " + e);
        }
    }

    /** Returns the worker password without a file: the value of {@link #PASSWORD_VARIABLE}, empty if not set. */
    public Secret defaultPassword() {
        return password(PASSWORD_VARIABLE);
    }

    /** Returns the value of an environment variable, empty if not set. */
    public Secret password(String variable) {
        String value = environment.value(variable);
        return value == null ? Secret.EMPTY : new Secret(value);
    }

    /** @param directory the base of relative paths; null for the working directory */
    FanfoldConfig parse(String name, String text, @Nullable Path directory) {
        Mistakes mistakes = new Mistakes(name);
        return config(mistakes, new YamlReader(mistakes).read(text), directory);
    }

    /**
     * Reads a document.
     *
     * @param mistakes those found in its text; more may be added
     * @throws ConfigException if there are any
     */
    FanfoldConfig config(Mistakes mistakes, YamlNode document, @Nullable Path directory) {
        Section root = Section.root(mistakes, document);
        ListenerConfig listener = root.group("listener", section -> listener(section, directory));
        BackendConfig backend = root.group("backend", section -> backend(section, directory, listener));
        WorkerSettings workers = root.group("workers", section -> workers(section, directory, backend));
        FanOutConfig fanOut = root.group("fan-out", ConfigLoader::fanOut);
        TablesConfig tables = root.group("tables", TableSections::tables);
        AccountsConfig accounts = root.group("accounts", TableSections::accounts);
        LimitsConfig limits = root.group("limits", this::limits);
        VerifySection.Verified verified = root.group("verify", section -> VerifySection.verify(section, directory));
        FanfoldConfig config = new FanfoldConfig(
                listener,
                backend,
                workers.workers(),
                fanOut.withVerifyShare(verified.share()).withReplicas(workers.replicas()),
                tables,
                accounts,
                limits,
                verified.rest(),
                root.group(
                        "http",
                        section -> HttpSection.http(
                                section, new SecretReader("token", environment::value, directory), directory)),
                root.group("log", ConfigLoader::log));
        root.end();
        mistakes.refuse();
        return config;
    }

    private static ListenerConfig listener(Section section, @Nullable Path directory) {
        ListenerConfig base = ListenerConfig.defaults();
        return new ListenerConfig(
                section.host("host", base.host()),
                section.integer("port", base.port(), 0, 65_535),
                section.integer("backlog", base.backlog(), 1, 65_535),
                section.duration("keep-alive", base.keepAlive(), Duration.ZERO, MOST_KEEP_ALIVE),
                section.list(
                        "proxy-protocol-networks",
                        base.proxyNetworks(),
                        "addresses and networks, such as 10.1.2.3, 10.1.0.0/16 and \"fd00::/8\"",
                        Network::parse),
                socket(section),
                section.flag("reuse-port", base.reusePort()),
                section.group("tls", tls -> TlsSections.listener(tls, directory)),
                section.choice("compression", base.compression(), ListenerConfig.ClientCompression.class));
    }

    private static @Nullable Path socket(Section section) {
        String text = section.optionalText("socket");
        if (text == null) {
            return null;
        }
        Path path = absolute(text);
        if (path == null || text.getBytes(StandardCharsets.UTF_8).length > MOST_SOCKET_BYTES) {
            section.mistake("socket", "'" + text + "'", "an absolute path of at most " + MOST_SOCKET_BYTES + " bytes");
        }
        return path;
    }

    private static @Nullable Path absolute(String text) {
        try {
            Path path = Path.of(text);
            return path.isAbsolute() ? path : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    private static BackendConfig backend(Section section, @Nullable Path directory, ListenerConfig listener) {
        BackendConfig base = BackendConfig.defaults();
        List<HostPort> hosts = section.groups("hosts", ConfigLoader::host);
        if (!hosts.isEmpty()) {
            section.forbid("host", WITH_HOSTS);
            section.forbid("port", WITH_HOSTS);
            // an entry without a host is a mistake that is reported already
            base = hosts.get(0).host().isEmpty() ? base : base.movedTo(hosts.get(0));
        }
        return new BackendConfig(
                section.host("host", base.host()),
                section.integer("port", base.port(), 1, 65_535),
                hosts,
                section.duration("connect-timeout", base.connectTimeout(), Duration.ofMillis(1), TEN_MINUTES),
                section.duration("keep-alive", base.keepAlive(), Duration.ZERO, MOST_KEEP_ALIVE),
                section.choice("proxy-protocol", base.proxyProtocol(), BackendConfig.ProxyProtocol.class),
                section.group("tls", tls -> TlsSections.backend(tls, directory, listener)),
                section.choice("compression", base.compression(), BackendConfig.ServerCompression.class));
    }

    /** Reads an entry of {@code backend.hosts}. */
    private static HostPort host(Section section) {
        if (section.lacks("host")) {
            section.mistake("host", "is missing", "the host name or address of a server");
        }
        return new HostPort(
                section.host("host", ""),
                section.integer("port", BackendConfig.defaults().port(), 1, 65_535));
    }

    /** The group {@code workers}. */
    private record WorkerSettings(WorkersConfig workers, ReplicaReads replicas) {}

    private WorkerSettings workers(Section section, @Nullable Path directory, BackendConfig backend) {
        SecretReader passwords = new SecretReader("password", environment::value, directory);
        passwords.forbid(section);
        WorkersConfig base = WorkersConfig.defaults();
        String user = section.text("user", base.user(), true);
        if (user.isEmpty() && !backend.hosts().isEmpty() && section.sound("user")) {
            section.mistake(
                    "user", "is missing", "an account, which asks each of backend.hosts whether it is read-only");
        }
        Secret password = passwords.read(section, PASSWORD_VARIABLE, user.isEmpty());
        ReplicaReads reads = ReplicaReads.defaults();
        WorkersConfig workers = new WorkersConfig(
                user,
                password,
                section.integer("connections", base.connections(), 2, WorkersConfig.MOST_CONNECTIONS),
                section.integer("connections-per-user", base.connectionsPerUser(), 2, WorkersConfig.MOST_CONNECTIONS),
                section.integer("queue-length", base.queueLength(), 0, 10_000),
                section.duration("queue-wait", base.queueWait(), Duration.ZERO, TEN_MINUTES),
                section.duration("idle-timeout", base.idleTimeout(), Duration.ofSeconds(10), DAY),
                section.duration("max-lifetime", base.maxLifetime(), Duration.ofSeconds(30), DAY),
                section.groups("servers", ConfigLoader::replica));
        reads = new ReplicaReads(
                section.choice("read-from", reads.from(), ReplicaReads.ReadFrom.class),
                section.duration("replica-wait", reads.patience(), Duration.ofMillis(1), Duration.ofSeconds(10)),
                section.duration("staleness", reads.staleness(), Duration.ZERO, DAY),
                section.integer("servers-per-fan-out", reads.servers(), 1, ReplicaReads.MOST_SERVERS));
        if (reads.staleness().toMillis() % 1000 != 0) {
            section.mistake("staleness", reads.staleness().toMillis() + "ms", "whole seconds");
        }
        if (reads.from() != ReplicaReads.ReadFrom.PRIMARY && workers.servers().isEmpty() && section.sound("servers")) {
            section.mistake(
                    "read-from",
                    "'" + reads.from().name().toLowerCase(Locale.ROOT) + "' without servers",
                    "the replicas in servers as well");
        }
        return new WorkerSettings(workers, reads);
    }

    private static ReplicaConfig replica(Section section) {
        if (section.lacks("host")) {
            section.mistake("host", "is missing", "the host name or address of a replica");
        }
        return new ReplicaConfig(
                section.host("host", ""),
                section.integer("port", BackendConfig.defaults().port(), 1, 65_535),
                section.integer("weight", 1, 1, ReplicaConfig.MOST_WEIGHT));
    }

    private static FanOutConfig fanOut(Section section) {
        FanOutConfig base = FanOutConfig.defaults();
        section.forbid("enabled", FanOutConfig.NO_ENABLED);
        int degree = section.integerOrAuto("degree", base.degree(), 1, FanOutConfig.MOST_DEGREE, "");
        return new FanOutConfig(
                section.choice("mode", base.mode(), FanOutConfig.Mode.class),
                degree,
                section.automatic("degree"),
                degree,
                section.number("min-rows", base.minRows(), 0, Long.MAX_VALUE),
                snapshots(section, base.snapshots()),
                section.flag("split-plain-count", base.splitPlainCount()),
                section.choice("key-ranges", base.keyRanges(), FanOutConfig.KeyRanges.class),
                section.choice("approximate", base.approximate(), FanOutConfig.Approximate.class),
                new FilterConfig(
                        section.choice("dynamic-filters", base.filters().dynamic(), FilterConfig.Dynamic.class),
                        section.integer("filter-keys", base.filters().keys(), 1, FilterConfig.MOST_KEYS)),
                new ReuseConfig(
                        section.choice("reuse", base.reuse().mode(), ReuseConfig.Reuse.class),
                        section.duration("reuse-wait", base.reuse().patience(), Duration.ZERO, Duration.ofSeconds(10))),
                base.replicas(),
                new TransactionConfig(
                        section.choice("transactions", base.transactions().splits(), TransactionConfig.Splits.class),
                        section.duration("transaction-idle", base.transactions().idle(), Duration.ZERO, TEN_MINUTES)),
                section.duration("catalog-refresh", base.catalogRefresh(), Duration.ofMillis(100), DAY),
                base.verifyShare());
    }

    private static SnapshotConfig snapshots(Section section, SnapshotConfig base) {
        Duration least = Duration.ofMillis(1);
        return new SnapshotConfig(
                section.choice("consistency", base.consistency(), SnapshotConfig.Consistency.class),
                section.integer("snapshot-rounds", base.rounds(), 1, 1000),
                section.duration("snapshot-time", base.time(), least, Duration.ofMinutes(1)),
                section.choice("table-locks", base.tableLocks(), SnapshotConfig.TableLocks.class),
                section.duration("lock-wait", base.lockWait(), least, Duration.ofSeconds(10)));
    }

    private static LogConfig log(Section section) {
        LogConfig base = LogConfig.defaults();
        return new LogConfig(
                section.choice("level", base.level(), LogConfig.Level.class),
                section.choice("format", base.format(), LogConfig.Format.class),
                section.duration("slow", base.slow(), Duration.ZERO, DAY));
    }

    private LimitsConfig limits(Section section) {
        LimitsConfig base = LimitsConfig.of(heap);
        String why = "the heap (-Xmx) is " + Quantity.text(heap.heapBytes());
        long totalMemory = section.sizeOrAuto(
                "total-memory", base.totalMemoryBytes(), HeapShares.LEAST_MEMORY, heap.mostTotalMemory(), why);
        boolean known = section.sound("total-memory");
        long queryMemory = section.sizeOrAuto(
                "query-memory",
                HeapShares.queryMemory(totalMemory),
                HeapShares.LEAST_MEMORY,
                known ? totalMemory : heap.mostTotalMemory(),
                (known ? "limits.total-memory is " + Quantity.text(totalMemory) + ", " : "") + why);
        return new LimitsConfig(
                Math.toIntExact(section.size("statement-size", base.statementBytes(), 1 << 10, 16 << 20)),
                queryMemory,
                totalMemory,
                section.sizeOrAuto(
                        "reuse-memory",
                        HeapShares.reuseMemory(totalMemory),
                        0,
                        (known ? totalMemory : heap.mostTotalMemory()) / 2,
                        (known ? "limits.total-memory is " + Quantity.text(totalMemory) + ", " : "") + why),
                section.size("held-answer", base.heldAnswerBytes(), 0, TEBIBYTE),
                section.integer("final-query-rows", base.finalQueryRows(), 1, 10_000_000),
                section.integerOrAuto("connections", base.connections(), 1, heap.mostConnections(), why),
                section.duration("slow-client", base.slowClient(), Duration.ofSeconds(1), DAY),
                section.duration("handshake-timeout", base.handshakeTimeout(), Duration.ofMillis(100), TEN_MINUTES),
                section.duration("drain-time", base.drainTime(), Duration.ZERO, DAY));
    }
}
