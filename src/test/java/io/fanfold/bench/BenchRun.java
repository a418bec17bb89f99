package io.fanfold.bench;

import io.fanfold.bench.FixedCostBench.FixedCost;
import io.fanfold.bench.PassThroughBench.Throughput;
import io.fanfold.bench.ReuseBench.Reused;
import io.fanfold.bench.SeriesBench.Series;
import io.fanfold.bench.SplitBench.Measured;
import io.fanfold.bench.Target.Miss;
import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.BackendTlsConfig.BackendTlsMode;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HostPort;
import io.fanfold.config.ListenerTlsConfig;
import io.fanfold.config.ListenerTlsConfig.ListenerTlsMode;
import io.fanfold.config.ReuseConfig;
import io.fanfold.demo.DemoQuery;
import io.fanfold.demo.DemoServer;
import io.fanfold.demo.Endpoint;
import io.fanfold.demo.ServerOptions;
import io.fanfold.demo.SqlClient;
import io.fanfold.demo.SsbQueries;
import io.fanfold.demo.SsbScale;
import io.fanfold.demo.Steps;
import io.fanfold.demo.WireSqlClient;
import io.fanfold.server.ProxyFactory;
import io.fanfold.server.RunningProxy;
import io.fanfold.tls.BackendTls;
import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One run of the benchmark on a server that has the tables. Not thread-safe. */
final class BenchRun {
    private static final int ROUNDS = 3;

    private final ProxyFactory proxies;
    private final SqlClient.Factory clients;
    private final ServerOptions options;
    private final List<BenchStatement> statements;
    private final boolean reuse;
    private final boolean scale;
    private final boolean relay;
    private final Sizes sizes;
    private final String command;
    private final DemoServer server;
    private final PrintWriter out;
    private final Steps steps;
    private final List<Miss> misses = new ArrayList<>();

    /**
     * How much is measured.
     *
     * @param runs of each statement and way
     * @param tinyRuns of the statement over tiny partitions
     * @param executions in a row of each statement; 0 to omit them
     * @param seconds of each round of point selects; 0 to omit them
     */
    record Sizes(int runs, int tinyRuns, int executions, double seconds) {}

    /**
     * @param statements the statements to measure; unless they are all, the fixed cost is omitted
     * @param reuse whether to measure reuse
     * @param scale whether to measure partitions, workers and clients
     * @param relay whether to measure what passes through
     * @param command how to repeat the benchmark, for the report
     */
    BenchRun(
            ProxyFactory proxies,
            SqlClient.Factory clients,
            ServerOptions options,
            List<BenchStatement> statements,
            boolean reuse,
            boolean scale,
            boolean relay,
            Sizes sizes,
            String command,
            DemoServer server,
            PrintWriter out,
            Steps steps) {
        this.proxies = proxies;
        this.clients = clients;
        this.options = options;
        this.statements = List.copyOf(statements);
        this.reuse = reuse;
        this.scale = scale;
        this.relay = relay;
        this.sizes = sizes;
        this.command = command;
        this.server = server;
        this.out = out;
        this.steps = steps;
    }

    /** @return the targets that were missed, as named in the last lines of the report */
    List<Miss> run() throws IOException, InterruptedException {
        List<Measured> measured = List.of();
        String setting;
        try (SqlClient direct = open(server.account())) {
            FixedCostBench.prepare(direct);
            PointLoad.prepare(direct);
            setting = setting(direct);
            print(setting + "clients, proxy and this report share one JVM\n");
            if (!statements.isEmpty()) {
                try (RunningProxy proxy = proxies.start(config())) {
                    measured = splits(direct, proxy);
                }
                // a new proxy that has not seen the statements, in a JVM that has compiled its code
                try (RunningProxy proxy = proxies.start(config())) {
                    series(direct, proxy);
                }
            }
            if (relay && sizes.seconds() > 0) {
                passThrough();
            }
            if (scale) {
                scale(direct);
            }
            if (reuse) {
                reuse(direct);
            }
        }
        if (!measured.isEmpty()) {
            print("\nMeasured by `" + command + "`\n" + setting + "\n" + ReadmeTable.render(measured));
        }
        print("\n" + verdict(misses));
        return misses;
    }

    private List<Measured> splits(SqlClient direct, RunningProxy proxy) throws IOException, InterruptedException {
        boolean scaleOne = scaleOne();
        List<Integer> degrees =
                Stream.of(2, 4, options.effectiveDegree()).distinct().sorted().toList();
        SplitBench bench = new SplitBench(sizes.runs(), degrees, scaleOne);
        List<Measured> measured = new ArrayList<>();
        try (SqlClient proxied = open(through(proxy));
                HandSplit hand =
                        new HandSplit(clients, server.account(), options.database(), Collections.max(degrees))) {
            if (complete()) {
                print("\nfixed cost of a fan-out over 8 partitions of 10 rows (target: at most 5 ms)\n");
                FixedCost cost = new FixedCostBench(sizes.tinyRuns()).run(direct, proxied, proxy);
                misses.addAll(cost.misses());
                print(cost.text());
            }
            print("\nstatements, median of " + sizes.runs() + "; by hand on " + degrees
                    + " connections, whichever is faster in the warm-up, without merging; no filters: through Fanfold without dynamic filters\n"
                    + (scaleOne ? "" : "(a target against direct is judged at --scale 1 and above)\n")
                    + bench.head());
            for (BenchStatement statement : statements) {
                Measured one;
                try (Steps.Step step = steps.beginShort(statement.query().name())) {
                    one = bench.run(statement, direct, proxied, proxy, hand);
                }
                measured.add(one);
                print(bench.line(one));
            }
        }
        misses.addAll(bench.misses(measured));
        return measured;
    }

    private void series(SqlClient direct, RunningProxy proxy) throws IOException {
        if (sizes.executions() == 0) {
            return;
        }
        SeriesBench bench = new SeriesBench(sizes.executions());
        List<Series> all = new ArrayList<>();
        print(String.format(
                Locale.ROOT,
                "%n%d executions in a row of a statement that the proxy has not seen, their sum (target: Fanfold/direct at"
                        + " most %.2f)%n%s",
                sizes.executions(),
                Target.OF_DIRECT_IN_SUM,
                bench.head()));
        try (SqlClient proxied = open(through(proxy))) {
            for (BenchStatement statement : statements) {
                Series one;
                try (Steps.Step step =
                        steps.beginShort(statement.query().name() + ", " + sizes.executions() + " times")) {
                    one = bench.run(statement, direct, proxied, proxy);
                }
                all.add(one);
                print(bench.line(one));
            }
        }
        misses.addAll(bench.misses(all));
    }

    private void passThrough() throws IOException, InterruptedException {
        Path binary = HaProxyRelay.installed();
        print(String.format(
                Locale.ROOT,
                "%npassed through, statements per second (targets: Fanfold/relay at least %.2f; p99 for 16 clients at most"
                        + " %.2f ms over direct)%n%s%n",
                Target.OF_RELAY,
                Target.P99_MILLIS_OVER_DIRECT,
                binary == null
                        ? "HAPROXY IS NOT INSTALLED: nothing to compare the relay with (Debian: apt-get install haproxy)"
                        : "relay: " + HaProxyRelay.version(binary)));
        try (HaProxyRelay haProxy = binary == null
                ? null
                : HaProxyRelay.start(
                        binary,
                        new HostPort(server.account().host(), server.account().port()))) {
            Endpoint relayed = haProxy == null ? null : server.account().at("127.0.0.1", haProxy.port());
            FanfoldConfig clear = config();
            passThrough("in clear", clients, clear, relayed);
            SqlClient.Factory encrypted =
                    WireSqlClient.encrypted(new BackendTls(BackendTlsConfig.of(BackendTlsMode.REQUIRED)));
            try {
                encrypted.open(server.account()).close();
            } catch (IOException e) {
                print("TLS IS NOT MEASURED: " + e.getMessage() + "\n");
                return;
            }
            passThrough(
                    "with TLS on both sides",
                    encrypted,
                    clear.withListener(clear.listener().withTls(ListenerTlsConfig.of(ListenerTlsMode.REQUIRED)))
                            .withBackend(clear.backend().withTls(BackendTlsConfig.of(BackendTlsMode.REQUIRED))),
                    relayed);
        }
    }

    private void passThrough(String mode, SqlClient.Factory of, FanfoldConfig settings, @Nullable Endpoint relayed)
            throws IOException, InterruptedException {
        PassThroughBench bench = new PassThroughBench(
                new PointLoad(of, options.database()), Duration.ofNanos(Math.round(sizes.seconds() * 1e9)), ROUNDS);
        try (RunningProxy proxy = proxies.start(settings)) {
            Throughput throughput = bench.run(mode, server.account(), through(proxy), relayed);
            misses.addAll(throughput.misses());
            print(mode + "\n" + throughput.text());
        }
    }

    /** Returns the default settings without encryption, because the clients of this report do not encrypt either. */
    private FanfoldConfig config() {
        FanfoldConfig defaults = server.proxyConfig(options, true);
        return defaults.withBackend(defaults.backend().withTls(BackendTlsConfig.of(BackendTlsMode.DISABLED)));
    }

    private void scale(SqlClient direct) throws IOException, InterruptedException {
        ScaleBench bench = new ScaleBench(sizes.runs(), options.effectiveDegree());
        try (Steps.Step step = steps.beginShort("tables of many partitions")) {
            ScaleBench.prepare(direct);
        }
        try (RunningProxy proxy = proxies.start(config());
                SqlClient proxied = open(through(proxy))) {
            print("\n" + bench.partitions(direct, proxied, proxy));
            print("\n" + bench.workers(direct, proxied, proxy));
            print("\n" + bench.model(direct, proxied, proxy));
            if (sizes.seconds() > 0) {
                print("\n"
                        + bench.clients(
                                new PointLoad(clients, options.database()),
                                Duration.ofNanos(Math.round(sizes.seconds() * 1e9)),
                                server.account(),
                                through(proxy)));
            }
        } finally {
            ScaleBench.drop(direct);
        }
        misses.addAll(bench.misses());
    }

    private void reuse(SqlClient direct) throws IOException {
        // not the log's first file, which Fanfold refuses
        direct.execute("FLUSH BINARY LOGS");
        FanfoldConfig without = config();
        FanfoldConfig on = config();
        FanfoldConfig with = on.withListener(on.listener().at(on.listener().host(), 0))
                // this account may read the log
                .withWorkers(on.workers()
                        .with(
                                server.account().user(),
                                server.account().password(),
                                on.workers().connections()))
                .withFanOut(on.fanOut().withReuse(on.fanOut().reuse().withMode(ReuseConfig.Reuse.ON)));
        try (RunningProxy withoutReuse = proxies.start(without);
                RunningProxy withReuse = proxies.start(with);
                SqlClient first = open(through(withoutReuse));
                SqlClient second = open(through(withReuse))) {
            String obstacle = ReuseBench.awaitStream(second);
            if (!obstacle.isEmpty()) {
                if (!complete()) {
                    throw new IOException(obstacle);
                }
                print("\nREUSE IS NOT MEASURED: " + obstacle + "\n");
                return;
            }
            String version = direct.serverVersion();
            ReuseBench bench = new ReuseBench(sizes.runs(), scaleOne(), !version.contains("MariaDB"));
            print("\n" + bench.head(version));
            List<Reused> all = new ArrayList<>();
            for (DemoQuery query : SsbQueries.ALL) {
                Reused one;
                try (Steps.Step step = steps.beginShort(query.name() + " with reuse")) {
                    one = bench.run(query, new ReuseBench.Ways(direct, first, second, withReuse));
                }
                all.add(one);
                print(bench.line(one));
            }
            print(bench.line(ReuseBench.sum(all)));
            misses.addAll(bench.misses(all));
        }
    }

    private boolean scaleOne() {
        return options.scale().compareTo(BigDecimal.ONE) >= 0;
    }

    private boolean complete() {
        return statements.size() == BenchStatement.ALL.size();
    }

    /** The last lines of the report. */
    static String verdict(List<Miss> misses) {
        if (misses.isEmpty()) {
            return "all targets are met\n";
        }
        StringBuilder text = new StringBuilder("targets missed: " + misses.size() + "\n");
        misses.forEach(miss -> text.append("  ").append(miss).append('\n'));
        return text.toString();
    }

    /** The machine, the server and the data, one line each. */
    private String setting(SqlClient direct) {
        return String.format(
                Locale.ROOT,
                "machine: %s%nserver: %s on %s; lineorder %,d rows in 8 partitions; degree %d%n",
                Machine.describe(),
                direct.serverVersion(),
                server.isEmbedded() ? "this machine" : server.account().host(),
                SsbScale.of(options.scale()).lineorders(),
                options.effectiveDegree());
    }

    private Endpoint through(RunningProxy proxy) {
        return server.account().at("127.0.0.1", proxy.port());
    }

    private SqlClient open(Endpoint endpoint) throws IOException {
        SqlClient client = clients.open(endpoint);
        client.execute("USE `" + options.database() + "`");
        return client;
    }

    private void print(String text) {
        out.print(text);
        out.flush();
    }
}
