package io.fanfold.cli.bench;

import io.fanfold.cli.HostPort;
import io.fanfold.cli.ProxyFactory;
import io.fanfold.cli.RunningProxy;
import io.fanfold.cli.demo.DemoData;
import io.fanfold.cli.demo.DemoServer;
import io.fanfold.cli.demo.Endpoint;
import io.fanfold.cli.demo.ServerOptions;
import io.fanfold.cli.demo.SqlClient;
import io.fanfold.cli.demo.SsbScale;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code fanfold bench}: ratios against the server itself, a split by hand and a plain TCP relay, all in one run. */
@Command(
        name = "bench",
        description = "Measure split queries, the fixed cost of a fan-out, and statements passed through.",
        mixinStandardHelpOptions = true)
public final class BenchCommand implements Callable<Integer> {
    private static final int LOADERS = 2;
    private static final int ROUNDS = 3;

    private final ProxyFactory proxies;
    private final SqlClient.Factory clients;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions options = new ServerOptions();

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "5",
            description = "measured runs of each split query, 1..1000 (default: ${DEFAULT-VALUE})")
    private int runs = 5;

    @Option(
            names = "--tiny-runs",
            paramLabel = "N",
            defaultValue = "200",
            description = "measured runs of the fan-out over tiny partitions, 1..100000 (default: ${DEFAULT-VALUE})")
    private int tinyRuns = 200;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "3",
            description = "seconds of each of the three rounds of point selects, 1..600 (default: ${DEFAULT-VALUE})")
    private int seconds = 3;

    public BenchCommand(ProxyFactory proxies, SqlClient.Factory clients) {
        this.proxies = proxies;
        this.clients = clients;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        String problem = problem();
        if (!problem.isEmpty()) {
            throw new ParameterException(spec.commandLine(), problem);
        }
        try (DemoServer server = DemoServer.start(options)) {
            boolean terminal = Boolean.getBoolean("fanfold.terminal");
            new DemoData(clients, server.account(), options.database(), server.isEmbedded(), System.err, terminal)
                    .ensure(options.scale(), LOADERS);
            try (RunningProxy proxy = proxies.start(server.proxyConfig(options, false))) {
                measure(server, proxy, spec.commandLine().getOut());
            }
        }
        return 0;
    }

    private String problem() {
        String problem = options.problem();
        if (!problem.isEmpty()) {
            return problem;
        }
        if (runs < 1 || runs > 1000) {
            return "--runs " + runs + " (expected: 1..1000)";
        }
        if (tinyRuns < 1 || tinyRuns > 100_000) {
            return "--tiny-runs " + tinyRuns + " (expected: 1..100000)";
        }
        return seconds < 1 || seconds > 600 ? "--seconds " + seconds + " (expected: 1..600)" : "";
    }

    private void measure(DemoServer server, RunningProxy proxy, PrintWriter out)
            throws IOException, InterruptedException {
        Endpoint through = server.account().at("127.0.0.1", proxy.port());
        try (SqlClient direct = open(server.account());
                SqlClient proxied = open(through);
                HandSplit hand =
                        new HandSplit(clients, server.account(), options.database(), options.effectiveDegree())) {
            FixedCostBench.prepare(direct);
            PointLoad.prepare(direct);
            print(out, "machine: " + Machine.describe() + "\n");
            print(
                    out,
                    String.format(
                            Locale.ROOT,
                            "server: %s on %s; lineorder %,d rows in 8 partitions; degree %d%n",
                            direct.serverVersion(),
                            server.isEmbedded()
                                    ? "this machine"
                                    : server.account().host(),
                            SsbScale.of(options.scale()).lineorders(),
                            options.effectiveDegree()));
            print(out, "clients, proxy and this report share one JVM\n");
            print(out, "\nsplit queries, median of " + runs + " (target: Fanfold/by hand at most 1.10)\n");
            print(out, new SplitBench(runs).run(direct, proxied, proxy, hand));
            print(out, "\nfixed cost of a fan-out over 8 partitions of 10 rows (target: at most 5 ms)\n");
            print(out, new FixedCostBench(tinyRuns).run(direct, proxied, proxy));
        }
        passThrough(server, through, out);
    }

    private void passThrough(DemoServer server, Endpoint through, PrintWriter out)
            throws IOException, InterruptedException {
        print(out, "\npoint selects passed through (target: Fanfold/relay at least 0.90)\n");
        PassThroughBench bench =
                new PassThroughBench(new PointLoad(clients, options.database()), Duration.ofSeconds(seconds), ROUNDS);
        Path binary = HaProxyRelay.installed();
        if (binary == null) {
            print(
                    out,
                    "HAPROXY IS NOT INSTALLED: nothing to compare the relay with (Debian: apt-get install haproxy)\n");
            print(out, bench.run(server.account(), through, null));
            return;
        }
        print(out, "relay: " + HaProxyRelay.version(binary) + "\n");
        HostPort address =
                new HostPort(server.account().host(), server.account().port());
        try (HaProxyRelay relay = HaProxyRelay.start(binary, address)) {
            Endpoint relayed = server.account().at("127.0.0.1", relay.port());
            print(out, bench.run(server.account(), through, relayed));
        }
    }

    private SqlClient open(Endpoint endpoint) throws IOException {
        SqlClient client = clients.open(endpoint);
        client.execute("USE `" + options.database() + "`");
        return client;
    }

    private static void print(PrintWriter out, String text) {
        out.print(text);
        out.flush();
    }
}
