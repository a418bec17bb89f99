package io.fanfold.fuzz;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HostPort;
import io.fanfold.demo.DemoServer;
import io.fanfold.demo.Endpoint;
import io.fanfold.demo.HostPortConverter;
import io.fanfold.demo.ServerOptions;
import io.fanfold.demo.SqlClient;
import io.fanfold.demo.Steps;
import io.fanfold.metrics.FanOutReport;
import io.fanfold.server.ProxyFactory;
import io.fanfold.server.RunningProxy;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code fanfold fuzz}: runs random statements directly and through proxies of several degrees. */
@Command(
        name = "fuzz",
        description = "Run random statements direct and through Fanfold, and compare the answers. If they differ, show"
                + " the smallest statement that still differs.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:no difference", "1:a difference, or the run failed", "2:wrong usage"})
public final class FuzzCommand implements Callable<Integer> {
    private static final int STEP = 500;

    private final ProxyFactory proxies;
    private final SqlClient.Factory clients;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "any whole number; the same seed gives the same statements (default: ${DEFAULT-VALUE})")
    private long seed = 1;

    @Option(
            names = "--statements",
            paramLabel = "N",
            defaultValue = "1000",
            description = "number of statements, 1..100000000 (default: ${DEFAULT-VALUE})")
    private long statements = 1000;

    @Option(
            names = "--first",
            paramLabel = "K",
            defaultValue = "1",
            description =
                    "number of the first statement, 1 or more, to continue an earlier run (default: ${DEFAULT-VALUE})")
    private long first = 1;

    @Option(names = "--statement", paramLabel = "K", description = "run only the statement with this number, 1 or more")
    private @Nullable Long only;

    @Option(
            names = "--degree",
            paramLabel = "N",
            split = ",",
            defaultValue = "1,2,7",
            description = "worker connections, 1..1000; one proxy for each number (default: ${DEFAULT-VALUE})")
    private List<Integer> degrees = List.of();

    @Option(
            names = "--stars",
            paramLabel = "N",
            defaultValue = "20",
            description = "percentage of FROM clauses that are star joins, 0..100; another value gives other statements"
                    + " (default: ${DEFAULT-VALUE})")
    private int stars = 20;

    @Option(
            names = "--transactions",
            description = "run the statements in transactions of three, alternately REPEATABLE READ and READ COMMITTED")
    private boolean transactions;

    @Option(names = "--verify", description = "let the proxies verify every split, and count the results")
    private boolean verify;

    @Option(
            names = "--ranges",
            description = "use tables without partitions, and tables of few or unequal partitions, which are split by"
                    + " ranges of a key")
    private boolean ranges;

    @Option(
            names = "--spider",
            description =
                    "split Spider tables, and compare with InnoDB tables; uses the MariaDB and the plugin of Spider"
                            + " that are installed on this machine")
    private boolean spider;

    private final Verifications verifications = new Verifications();

    @Option(
            names = "--server",
            paramLabel = "HOST:PORT",
            converter = HostPortConverter.class,
            description = "use this server instead of the embedded MariaDB")
    private @Nullable HostPort server;

    @Option(
            names = "--user",
            paramLabel = "USER",
            description = "account on that server, for the database, statements and workers")
    private @Nullable String user;

    @Option(
            names = "--password",
            paramLabel = "PASSWORD",
            arity = "0..1",
            interactive = true,
            description = "password of this account. Without a value, you are asked for it. Without the option, it"
                    + " comes from the environment variable FANFOLD_DEMO_PASSWORD")
    private @Nullable String password;

    @Option(
            names = "--database",
            paramLabel = "NAME",
            defaultValue = "fanfold_fuzz",
            description = "database for the tables; a database of this name from an earlier run is dropped (default:"
                    + " ${DEFAULT-VALUE})")
    private String database = "fanfold_fuzz";

    public FuzzCommand(ProxyFactory proxies, SqlClient.Factory clients) {
        this.proxies = proxies;
        this.clients = clients;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path home = Path.of(System.getProperty("fanfold.home", "")).toAbsolutePath();
        ServerOptions given = ServerOptions.of(
                server, user, password, database, home.resolve(".fanfold").resolve(spider ? "fuzz-spider" : "fuzz"));
        ServerOptions options = spider ? given.withSpider() : given;
        String problem = problem(options);
        if (!problem.isEmpty()) {
            throw new ParameterException(spec.commandLine(), problem);
        }
        PrintWriter out = spec.commandLine().getOut();
        List<RunningProxy> running = new ArrayList<>();
        try (DemoServer demo = DemoServer.start(options, Steps.onStandardError())) {
            Endpoint innoDb = spider ? demo.backends().get(0) : demo.account();
            try (SqlClient client = clients.open(innoDb)) {
                new FuzzDatabase(client, database).create(ranges);
            }
            if (spider) {
                new SpiderDatabase(clients, demo, database).create();
            }
            List<Subject> subjects = new ArrayList<>();
            try {
                for (int degree : degrees) {
                    RunningProxy proxy = proxies.start(config(demo.proxyConfig(options.withDegree(degree), false)));
                    running.add(proxy);
                    Endpoint through = demo.account().at("127.0.0.1", proxy.port());
                    subjects.add(
                            new Reached("degree " + degree, clients, through, proxy, verify ? verifications : null));
                }
                return run(new Reached("direct", clients, innoDb, null, null), subjects, out);
            } finally {
                running.forEach(RunningProxy::close);
            }
        }
    }

    private FanfoldConfig config(FanfoldConfig base) {
        return verify ? base.withFanOut(base.fanOut().withVerifyShare(1)) : base;
    }

    private int run(Subject direct, List<Subject> subjects, PrintWriter out) throws IOException {
        FuzzSummary summary = new FuzzSummary();
        try (FuzzRun run = new FuzzRun(direct, subjects, database, seed, stars, ranges, transactions, out)) {
            if (only != null) {
                out.println(run.sql(only));
                run.run(only, 1, summary);
            } else {
                for (long done = 0; done < statements; done += STEP) {
                    run.run(first + done, Math.min(STEP, statements - done), summary);
                    out.println((done + STEP < statements ? done + STEP : statements) + " statements, "
                            + summary.differences() + " differences, " + summary.fannedOutPercent()
                            + " % of the runs fanned out");
                    out.flush();
                }
            }
        }
        out.print("seed " + seed + ": " + summary + (verify ? verifications : ""));
        out.flush();
        return summary.differences() + verifications.alarms() == 0 ? 0 : 1;
    }

    private String problem(ServerOptions options) {
        if (!options.problem().isEmpty()) {
            return options.problem();
        }
        if (statements < 1 || statements > 100_000_000) {
            return "--statements " + statements + " (expected: 1..100000000)";
        }
        if (first < 1) {
            return "--first " + first + " (expected: 1 or more)";
        }
        if (only != null && only < 1) {
            return "--statement " + only + " (expected: 1 or more)";
        }
        if (stars < 0 || stars > 100) {
            return "--stars " + stars + " (expected: 0..100)";
        }
        if (spider && ranges) {
            return "--spider with --ranges (expected: one of them; Spider tables are not split by ranges of a key)";
        }
        for (int degree : degrees) {
            if (degree < 1 || degree > 1000) {
                return "--degree " + degree + " (expected: 1..1000)";
            }
        }
        return "";
    }

    private record Reached(
            String name,
            SqlClient.Factory clients,
            Endpoint endpoint,
            @Nullable RunningProxy proxy,
            @Nullable Verifications verifications)
            implements Subject {
        @Override
        public SqlClient connect() throws IOException {
            return clients.open(endpoint);
        }

        @Override
        public FanOutReport report() {
            if (proxy == null) {
                return FanOutReport.NONE;
            }
            FanOutReport report = proxy.lastFanOut();
            if (verifications != null && report.fannedOut()) {
                verifications.await(proxy);
            }
            return report;
        }
    }
}
