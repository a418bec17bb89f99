package io.fanfold.demo;

import io.fanfold.config.HttpConfig;
import io.fanfold.config.RunningSettings;
import io.fanfold.server.ProxyFactory;
import io.fanfold.server.RunningProxy;
import io.fanfold.server.Shutdown;
import io.fanfold.server.Signals;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code fanfold demo}: creates benchmark tables, starts a proxy, and compares queries run directly and through it. */
@Command(
        name = "demo",
        description = {
            "Load the tables of the Star Schema Benchmark, run its queries direct and through Fanfold, and compare"
                    + " times and rows.",
            "The first start downloads about 150 MB for the embedded MariaDB (not with --server). The build downloads"
                    + " as much again, unless Maven's local repository has it."
        },
        mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {
    private static final int RUNS = 3;

    /** A page on a free port, because another Fanfold may have the usual one. */
    private static final HttpConfig PAGE =
            HttpConfig.defaults().withEnabled(true).withPort(0);

    private static final int LOADERS = 2;

    private final ProxyFactory proxies;
    private final SqlClient.Factory clients;
    private final Consumer<Runnable> interrupts;
    private final Duration warmUp;

    /** Whether the user is ending the process: then failures do not matter. */
    private final AtomicBoolean interrupted = new AtomicBoolean();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions options = new ServerOptions();

    @Option(
            names = "--spider",
            description = "put the partitions of lineorder on two more servers with MariaDB's Spider. All three are the"
                    + " MariaDB that is installed on this machine; see docs/spider.md")
    private boolean spider;

    @Option(
            names = "--exit",
            description = "end after the comparison. Exit code 0: all answers were the same; 1: some were not")
    private boolean exit;

    /**
     * Creates the command.
     *
     * @param clients opens connections to the server and through the proxy
     * @param interrupts receives what to do if the user ends the process before the table is complete
     * @param warmUp the warm-up time of each query, 0 or more
     */
    public DemoCommand(
            ProxyFactory proxies, SqlClient.Factory clients, Consumer<Runnable> interrupts, Duration warmUp) {
        this.proxies = proxies;
        this.clients = clients;
        this.interrupts = interrupts;
        this.warmUp = warmUp;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        options.spider = spider;
        String problem = options.problem();
        if (!problem.isEmpty()) {
            throw new ParameterException(spec.commandLine(), problem);
        }
        Steps steps = Steps.onStandardError();
        interrupts.accept(() -> {
            interrupted.set(true);
            steps.end();
            sayGoodbye();
        });
        try {
            return run(steps);
        } catch (IOException e) {
            if (interrupted.get()) {
                return Shutdown.INTERRUPTED;
            }
            throw e;
        }
    }

    private int run(Steps steps) throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        try (DemoServer server = DemoServer.start(options, steps)) {
            DemoData.of(clients, server, options.database, steps).ensure(options.scale, LOADERS);
            RunningSettings settings =
                    RunningSettings.of(server.proxyConfig(options, true).withHttp(PAGE));
            try (RunningProxy proxy = proxies.start(settings)) {
                boolean same = compare(server, proxy, out, steps);
                if (!exit) {
                    print(out, howToConnect(server, proxy));
                    Signals.on("HUP", settings::reload);
                    int status = Shutdown.listen().await(proxy);
                    if (status == 0) {
                        sayGoodbye();
                    }
                    return status;
                }
                return same ? 0 : 1;
            }
        }
    }

    private void sayGoodbye() {
        PrintWriter err = spec.commandLine().getErr();
        // a terminal shows ^C at the cursor's position
        err.println((Boolean.getBoolean("fanfold.terminal") ? "\n" : "") + "stopped; ./fanfold demo starts it again");
        err.flush();
    }

    private boolean compare(DemoServer server, RunningProxy proxy, PrintWriter out, Steps steps) throws IOException {
        List<DemoQuery> queries = spider
                ? SsbQueries.SPIDER
                : Stream.concat(SsbQueries.ALL.stream(), SsbQueries.PLAIN.stream())
                        .toList();
        DemoReport report = new DemoReport(queries, spider ? queries : SsbQueries.BENCHMARK, spider);
        MachineLoad load = MachineLoad.ofThisMachine();
        boolean same = true;
        try (SentRows sent = new SentRows(clients, server.backends());
                SqlClient direct = clients.open(server.account());
                SqlClient proxied = clients.open(server.account().at("127.0.0.1", proxy.port()))) {
            direct.execute("USE `" + options.database + "`");
            proxied.execute("USE `" + options.database + "`");
            out.printf(
                    Locale.ROOT,
                    "server %s, degree %d, median of %d runs when warm%n"
                            + "%,d rows of lineorder in 8 partitions%s%n%n",
                    direct.serverVersion(),
                    options.effectiveDegree(),
                    RUNS,
                    SsbScale.of(options.scale).lineorders(),
                    spider
                            ? " on " + server.backends().size() + " other servers"
                            : ", and the same rows of " + SsbSchema.PLAIN + " without partitions");
            QueryComparison comparison = new QueryComparison(direct, proxied, proxy, sent, RUNS, warmUp);
            print(out, report.statements() + "\n" + report.head());
            for (DemoQuery query : queries) {
                QueryComparison.Outcome outcome;
                try (Steps.Step step = steps.beginShort(query.name())) {
                    outcome = comparison.run(query);
                }
                load.sample();
                same &= outcome.same();
                print(out, report.line(outcome));
            }
        }
        print(out, report.sum() + report.differences() + "\n" + load.warning() + report.legend());
        return same;
    }

    private static void print(PrintWriter out, String text) {
        out.print(text);
        out.flush();
    }

    private String howToConnect(DemoServer server, RunningProxy proxy) {
        String password =
                server.isEmbedded() ? " -p" + server.account().password().reveal() : " -p";
        String client = "  mariadb -h %s -P %d -u " + server.account().user() + password + " " + options.database;
        return "\nThe proxy is up. Connect through it:\n"
                + String.format(Locale.ROOT, client, "127.0.0.1", proxy.port())
                + "\nand direct:\n"
                + String.format(
                        Locale.ROOT,
                        client,
                        server.account().host(),
                        server.account().port())
                + proxy.httpPort().stream()
                        .mapToObj(port -> "\nWhat it does: http://127.0.0.1:" + port + "/\n")
                        .collect(Collectors.joining())
                + "Ctrl-C ends it.\n";
    }
}
