package io.fanfold.demo;

import io.fanfold.config.HostPort;
import java.math.BigDecimal;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that demo and benchmark share: the server, the amount of data, and the proxy's settings. */
public final class ServerOptions {
    @Option(
            names = "--scale",
            paramLabel = "S",
            defaultValue = "0.1",
            description = "size of the data; with 1, lineorder has 6,000,000 rows (default: ${DEFAULT-VALUE})")
    BigDecimal scale = new BigDecimal("0.1");

    @Option(
            names = "--server",
            paramLabel = "HOST:PORT",
            converter = HostPortConverter.class,
            description = "use this server instead of the embedded MariaDB")
    @Nullable
    HostPort server;

    @Option(
            names = "--user",
            paramLabel = "USER",
            description = "account on that server, for tables, queries and workers")
    @Nullable
    String user;

    @Option(
            names = "--password",
            paramLabel = "PASSWORD",
            arity = "0..1",
            interactive = true,
            description = "password of this account. Without a value, you are asked for it. Without the option, it"
                    + " comes from the environment variable FANFOLD_DEMO_PASSWORD")
    @Nullable
    String password;

    @Option(
            names = "--database",
            paramLabel = "NAME",
            defaultValue = "ssb",
            description = "database for the tables (default: ${DEFAULT-VALUE})")
    String database = "ssb";

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "0",
            description = "TCP port of the proxy; 0 is any free port (default: ${DEFAULT-VALUE})")
    int port;

    @Option(
            names = "--degree",
            paramLabel = "N",
            description = "worker connections for one query, 2..1000 (default: the number of CPU cores, but 2 to 8)")
    @Nullable
    Integer degree;

    @Option(
            names = "--keep",
            paramLabel = "DIR",
            description = "folder for the data of the embedded server (default: in .fanfold/demo next to the launcher)")
    @Nullable
    Path dataDirectory;

    /** Whether partitions of {@code lineorder} are on other servers; an option of the demo. */
    boolean spider;

    /** Creates options without a command line; null means that the option is not given. */
    public static ServerOptions of(
            @Nullable HostPort server,
            @Nullable String user,
            @Nullable String password,
            String database,
            @Nullable Path dataDirectory) {
        ServerOptions options = new ServerOptions();
        options.server = server;
        options.user = user;
        options.password = password;
        options.database = database;
        options.dataDirectory = dataDirectory;
        return options;
    }

    /** Returns these options for a head of Spider tables and two more servers. */
    public ServerOptions withSpider() {
        ServerOptions options = copy();
        options.spider = true;
        return options;
    }

    /** Returns these options with another degree. */
    public ServerOptions withDegree(int other) {
        ServerOptions options = copy();
        options.degree = other;
        return options;
    }

    private ServerOptions copy() {
        ServerOptions options = of(server, user, password, database, dataDirectory);
        options.scale = scale;
        options.port = port;
        options.degree = degree;
        options.spider = spider;
        return options;
    }

    /**
     * Checks what picocli cannot check.
     *
     * @return "" if everything is right, otherwise the mistake
     */
    public String problem() {
        if (scale.compareTo(SsbScale.MIN) < 0 || scale.compareTo(SsbScale.MAX) > 0) {
            return "--scale " + scale + " (expected: " + SsbScale.MIN + ".." + SsbScale.MAX + ")";
        }
        if (port < 0 || port > 65_535) {
            return "--port " + port + " (expected: 0..65535)";
        }
        if (degree != null && (degree < 2 || degree > 1000)) {
            return "--degree " + degree + " (expected: 2..1000)";
        }
        if (!database.matches("[A-Za-z0-9_]{1,64}")) {
            return "--database '" + database + "' (expected: 1..64 letters, digits or underscores)";
        }
        if (server != null && user == null) {
            return "--server without --user (expected: an account of that server)";
        }
        if (server != null && spider) {
            return "--spider with --server (expected: one of them; the demo starts the servers for Spider itself)";
        }
        if (server == null && user != null) {
            return "--user without --server (the embedded server has its own accounts)";
        }
        return "";
    }

    /** The number of worker connections for a query. */
    public int effectiveDegree() {
        return degree == null ? Math.max(2, Math.min(8, Runtime.getRuntime().availableProcessors())) : degree;
    }

    public BigDecimal scale() {
        return scale;
    }

    public String database() {
        return database;
    }
}
