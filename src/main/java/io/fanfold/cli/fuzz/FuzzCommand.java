package io.fanfold.cli.fuzz;

import io.fanfold.cli.FanOutReport;
import io.fanfold.cli.HostPort;
import io.fanfold.cli.ProxyFactory;
import io.fanfold.cli.RunningProxy;
import io.fanfold.cli.demo.DemoServer;
import io.fanfold.cli.demo.Endpoint;
import io.fanfold.cli.demo.ServerOptions;
import io.fanfold.cli.demo.SqlClient;
import io.fanfold.cli.demo.Steps;
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
        description =
                "Run random statements direct and through the proxy, and show the smallest form of any difference.",
        mixinStandardHelpOptions = true)
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
            description = "any whole number; the same one makes the same statements (default: ${DEFAULT-VALUE})")
    private long seed = 1;

    @Option(
            names = "--statements",
            paramLabel = "N",
            defaultValue = "1000",
            description = "how many statements, 1..100000000 (default: ${DEFAULT-VALUE})")
    private long statements = 1000;

    @Option(
            names = "--first",
            paramLabel = "K",
            defaultValue = "1",
            description =
                    "the first statement's number, from 1, to go on with an earlier run (default: ${DEFAULT-VALUE})")
    private long first = 1;

    @Option(names = "--statement", paramLabel = "K", description = "only the statement of this number, from 1")
    private @Nullable Long only;

    @Option(
            names = "--degree",
            paramLabel = "N",
            split = ",",
            defaultValue = "1,2,7",
            description = "worker connections of the proxies, each 1..1000 (default: ${DEFAULT-VALUE})")
    private List<Integer> degrees = List.of();

    @Option(
            names = "--stars",
            paramLabel = "N",
            defaultValue = "20",
            description =
                    "how many of a hundred FROM clauses are star joins, 0..100; another number makes other statements"
                            + " (default: ${DEFAULT-VALUE})")
    private int stars = 20;

    @Option(
            names = "--transactions",
            description = "run the statements in transactions of three, REPEATABLE READ and READ COMMITTED by turns")
    private boolean transactions;

    @Option(
            names = "--server",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            description = "a server of yours instead of the embedded MariaDB")
    private @Nullable HostPort server;

    @Option(names = "--user", paramLabel = "USER", description = "account on your server; it makes a database")
    private @Nullable String user;

    @Option(
            names = "--password",
            paramLabel = "PASSWORD",
            arity = "0..1",
            interactive = true,
            description = "its password; asked for when the option stands alone. Without the option: the environment"
                    + " variable FANFOLD_DEMO_PASSWORD")
    private @Nullable String password;

    @Option(
            names = "--database",
            paramLabel = "NAME",
            defaultValue = "fanfold_fuzz",
            description = "database that is made anew for the tables (default: ${DEFAULT-VALUE})")
    private String database = "fanfold_fuzz";

    public FuzzCommand(ProxyFactory proxies, SqlClient.Factory clients) {
        this.proxies = proxies;
        this.clients = clients;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path home = Path.of(System.getProperty("fanfold.home", "")).toAbsolutePath();
        ServerOptions options = ServerOptions.of(
                server, user, password, database, home.resolve(".fanfold").resolve("fuzz"));
        String problem = problem(options);
        if (!problem.isEmpty()) {
            throw new ParameterException(spec.commandLine(), problem);
        }
        PrintWriter out = spec.commandLine().getOut();
        List<RunningProxy> running = new ArrayList<>();
        try (DemoServer demo = DemoServer.start(options, Steps.onStandardError())) {
            try (SqlClient client = clients.open(demo.account())) {
                new FuzzDatabase(client, database).create();
            }
            List<Subject> subjects = new ArrayList<>();
            try {
                for (int degree : degrees) {
                    RunningProxy proxy = proxies.start(demo.proxyConfig(options.withDegree(degree), false));
                    running.add(proxy);
                    Endpoint through = demo.account().at("127.0.0.1", proxy.port());
                    subjects.add(new Reached("degree " + degree, clients, through, proxy));
                }
                return run(new Reached("direct", clients, demo.account(), null), subjects, out);
            } finally {
                running.forEach(RunningProxy::close);
            }
        }
    }

    private int run(Subject direct, List<Subject> subjects, PrintWriter out) throws IOException {
        FuzzSummary summary = new FuzzSummary();
        try (FuzzRun run = new FuzzRun(direct, subjects, database, seed, stars, transactions, out)) {
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
        out.print("seed " + seed + ": " + summary);
        out.flush();
        return summary.differences() == 0 ? 0 : 1;
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
            @Nullable RunningProxy proxy) implements Subject {
        @Override
        public SqlClient connect() throws IOException {
            return clients.open(endpoint);
        }

        @Override
        public FanOutReport report() {
            return proxy == null ? FanOutReport.NONE : proxy.lastFanOut();
        }
    }
}
