package io.fanfold.cli.demo;

import io.fanfold.cli.ProxyFactory;
import io.fanfold.cli.RunningProxy;
import io.fanfold.cli.Shutdown;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code fanfold demo}: benchmark tables, a proxy, and a table of queries direct and through it. */
@Command(
        name = "demo",
        description = "Make the Star Schema Benchmark's tables, run its queries direct and through the proxy, compare.",
        mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {
    private static final int RUNS = 3;
    private static final int LOADERS = 2;

    private final ProxyFactory proxies;
    private final SqlClient.Factory clients;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions options = new ServerOptions();

    @Option(names = "--exit", description = "end after the table: exit code 0 when every answer was the same, else 1")
    private boolean exit;

    public DemoCommand(ProxyFactory proxies, SqlClient.Factory clients) {
        this.proxies = proxies;
        this.clients = clients;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        String problem = options.problem();
        if (!problem.isEmpty()) {
            throw new ParameterException(spec.commandLine(), problem);
        }
        PrintWriter out = spec.commandLine().getOut();
        try (DemoServer server = DemoServer.start(options)) {
            boolean terminal = Boolean.getBoolean("fanfold.terminal");
            new DemoData(clients, server.account(), options.database, server.isEmbedded(), System.err, terminal)
                    .ensure(options.scale, LOADERS);
            try (RunningProxy proxy = proxies.start(server.proxyConfig(options, true))) {
                List<QueryComparison.Outcome> outcomes = compare(server, proxy, out);
                boolean same = outcomes.stream().allMatch(QueryComparison.Outcome::same);
                if (!exit) {
                    out.print(howToConnect(server, proxy));
                    out.flush();
                    return Shutdown.await(proxy, proxy::readCertificates);
                }
                return same ? 0 : 1;
            }
        }
    }

    private List<QueryComparison.Outcome> compare(DemoServer server, RunningProxy proxy, PrintWriter out)
            throws IOException {
        List<QueryComparison.Outcome> outcomes = new ArrayList<>();
        try (SqlClient direct = clients.open(server.account());
                SqlClient proxied = clients.open(server.account().at("127.0.0.1", proxy.port()))) {
            direct.execute("USE `" + options.database + "`");
            proxied.execute("USE `" + options.database + "`");
            out.printf(
                    Locale.ROOT,
                    "server %s, %,d rows of lineorder, degree %d, median of %d runs when warm%n%n",
                    direct.serverVersion(),
                    SsbScale.of(options.scale).lineorders(),
                    options.effectiveDegree(),
                    RUNS);
            out.flush();
            QueryComparison comparison = new QueryComparison(direct, proxied, proxy, RUNS);
            DemoReport report = new DemoReport(SsbQueries.ALL);
            print(out, report.head());
            for (DemoQuery query : SsbQueries.ALL) {
                QueryComparison.Outcome outcome = comparison.run(query);
                outcomes.add(outcome);
                print(out, report.line(outcome));
            }
            print(out, report.differences());
        }
        return outcomes;
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
                + "\nCtrl-C ends it.\n";
    }
}
