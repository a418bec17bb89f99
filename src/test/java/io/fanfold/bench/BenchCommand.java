package io.fanfold.bench;

import io.fanfold.demo.DemoData;
import io.fanfold.demo.DemoServer;
import io.fanfold.demo.ServerOptions;
import io.fanfold.demo.SqlClient;
import io.fanfold.demo.Steps;
import io.fanfold.server.ProxyFactory;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code fanfold bench}: compares Fanfold with the server itself, a split by hand and a plain TCP relay, all in one
 * run.
 */
@Command(
        name = "bench",
        description = {
            "Measure split statements, the fixed cost of a fan-out, and statements that are passed through.",
            "The last lines name the targets that were missed."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all targets were met", "1:a target was missed, or the benchmark failed", "2:wrong usage"})
public final class BenchCommand implements Callable<Integer> {
    private static final int LOADERS = 2;

    /** The name of the group that measures reuse. */
    private static final String REUSE = "reuse";

    /** The name of the group that measures how a fan-out grows with partitions, workers and clients. */
    private static final String SCALE = "scale";

    private static final String RELAY = "relay";

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
            description = "measured runs of each query, 1..1000; a query below 0.1 s runs five times as often (default:"
                    + " ${DEFAULT-VALUE})")
    private int runs = 5;

    @Option(
            names = "--tiny-runs",
            paramLabel = "N",
            defaultValue = "200",
            description = "measured runs of the fan-out over tiny partitions, 1..100000 (default: ${DEFAULT-VALUE})")
    private int tinyRuns = 200;

    @Option(
            names = "--executions",
            paramLabel = "N",
            defaultValue = "20",
            description = "consecutive executions of each query on a proxy that has not seen it, 0..1000; 0 skips this"
                    + " (default: ${DEFAULT-VALUE})")
    private int executions = 20;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "3",
            description =
                    "seconds for each of the three rounds of statements that pass through, 0..600, such as 0.5; 0 skips"
                            + " them (default:"
                            + " ${DEFAULT-VALUE})")
    private double seconds = 3;

    @Option(
            names = "--only",
            paramLabel = "NAME",
            defaultValue = "",
            description =
                    "measure only reuse, only scale (partitions, workers and clients), only relay (what passes through), or"
                            + " only the statements whose names begin with NAME, such as SSB")
    private String only = "";

    @Option(
            names = "--no-reuse",
            description = "do not measure reuse, which takes about as long as half of the statements")
    private boolean withoutReuse;

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
        Steps steps = Steps.onStandardError();
        BenchRun.Sizes sizes = new BenchRun.Sizes(runs, tinyRuns, executions, seconds);
        try (DemoServer server = DemoServer.start(options, steps)) {
            DemoData.of(clients, server, options.database(), steps).ensure(options.scale(), LOADERS);
            BenchRun run = new BenchRun(
                    proxies,
                    clients,
                    options,
                    statements(),
                    only.isEmpty() && !withoutReuse || only.equals(REUSE),
                    only.isEmpty() || only.equals(SCALE),
                    only.isEmpty() || only.equals(RELAY),
                    sizes,
                    command(server),
                    server,
                    spec.commandLine().getOut(),
                    steps);
            return run.run().isEmpty() ? 0 : 1;
        }
    }

    /** The command for the same measurement, without the names of servers and accounts. */
    private String command(DemoServer server) {
        return "./fanfold bench --scale " + options.scale().toPlainString()
                + " --runs " + runs
                + " --executions " + executions
                + " --seconds "
                + BigDecimal.valueOf(seconds).stripTrailingZeros().toPlainString()
                + (only.isEmpty() ? "" : " --only '" + only + "'")
                + (withoutReuse ? " --no-reuse" : "")
                + (server.isEmbedded() ? "" : " --server HOST:PORT --user USER");
    }

    private List<BenchStatement> statements() {
        return onlyGroup()
                ? List.of()
                : BenchStatement.ALL.stream()
                        .filter(statement -> statement.query().name().startsWith(only))
                        .toList();
    }

    private boolean onlyGroup() {
        return only.equals(REUSE) || only.equals(SCALE) || only.equals(RELAY);
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
        if (executions < 0 || executions > 1000) {
            return "--executions " + executions + " (expected: 0..1000)";
        }
        if (statements().isEmpty() && !onlyGroup()) {
            return "--only '" + only + "' (expected: " + REUSE + ", " + SCALE + ", " + RELAY
                    + ", or the beginning of a statement's name, such as SSB)";
        }
        return !(seconds >= 0 && seconds <= 600) ? "--seconds " + seconds + " (expected: 0..600)" : "";
    }
}
