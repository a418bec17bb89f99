package io.fanfold.cli;

import io.fanfold.config.ConfigLoader;
import io.fanfold.observe.GainModel;
import io.fanfold.observe.LocalProxy;
import io.fanfold.observe.Observation;
import io.fanfold.observe.ObservationJson;
import io.fanfold.observe.ObservationText;
import io.fanfold.observe.Observer;
import io.fanfold.server.ProxyFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code fanfold observe}: shows which share of a server's load would be split, without a running proxy. */
@Command(
        name = "observe",
        description = {
            "Show which share of a server's load Fanfold would split, with what gain, and what stands in the way.",
            "The load comes from a slow query log, or from the server's performance_schema (MySQL 8.0 or later)."
                    + " Fanfold reads plans and definitions at the server. It runs none of the statements."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the report is complete",
            "1:the server cannot be reached, or refuses an account; the log cannot be read",
            "2:wrong usage, or a mistake in the settings"
        },
        footerHeading = "%nExample:%n",
        footer = {
            "  ./fanfold observe --backend db.example:3306 --worker-user fanfold --slow-log /var/log/mysql/slow.log",
            "",
            Main.DOCUMENTATION
        })
final class ObserveCommand implements Callable<Integer> {
    private static final String STANDARD_INPUT = "-";

    private final ConfigLoader loader;
    private final ProxyFactory proxies;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerAccess server = new ServerAccess();

    @Option(
            names = "--slow-log",
            paramLabel = "FILE",
            description = "a slow query log of MySQL or MariaDB, - for standard input (default: the server's"
                    + " performance_schema.events_statements_summary_by_digest)")
    private @Nullable String slowLog;

    @Option(
            names = "--groups",
            paramLabel = "N",
            defaultValue = "200",
            description = "explain the N groups of similar SELECTs that take most time, 1..10000 (default:"
                    + " ${DEFAULT-VALUE})")
    private int groups = 200;

    @Option(
            names = "--top",
            paramLabel = "N",
            defaultValue = "20",
            description = "show N groups (default: ${DEFAULT-VALUE})")
    private int top = 20;

    @Option(
            names = "--server-cores",
            paramLabel = "N",
            defaultValue = "0",
            description = "expect that no more than N workers read at the same time, as on a server with N cores"
                    + " (default: the number of workers)")
    private int cores;

    @Option(names = "--json", description = "print one JSON object instead of tables")
    private boolean asJson;

    ObserveCommand(ConfigLoader loader, ProxyFactory proxies) {
        this.loader = loader;
        this.proxies = proxies;
    }

    @Override
    public Integer call() throws IOException {
        String problem = problem();
        if (!problem.isEmpty()) {
            throw new ParameterException(spec.commandLine(), problem);
        }
        ServerAccess.Access access = server.access(spec, loader);
        try (LogOutput.Quiet quiet = LogOutput.ofProcess().quiet();
                LocalProxy proxy = LocalProxy.start(proxies, access.config())) {
            print(observe(new Observer(proxy, access.client(), new GainModel(cores), groups)));
        }
        return 0;
    }

    /** Returns the mistake in the numbers; "" if there is none. */
    private String problem() {
        if (groups < 1 || groups > 10_000) {
            return "--groups " + groups + " (expected: 1..10000)";
        }
        if (top < 0) {
            return "--top " + top + " (expected: 0 or more)";
        }
        if (cores < 0) {
            return "--server-cores " + cores + " (expected: 0 or more)";
        }
        return "";
    }

    private Observation observe(Observer observer) throws IOException {
        IntConsumer done = progress();
        if (slowLog == null) {
            return observer.digestSummary(done);
        }
        if (slowLog.equals(STANDARD_INPUT)) {
            return observer.slowLog("standard input", System.in, done);
        }
        try (InputStream in = Files.newInputStream(Path.of(slowLog))) {
            return observer.slowLog(slowLog, in, done);
        } catch (NoSuchFileException e) {
            throw new IOException(slowLog + ": there is no such file", e);
        }
    }

    /** Returns what shows on a terminal how many groups are explained. */
    private IntConsumer progress() {
        if (!Boolean.getBoolean("fanfold.terminal")) {
            return explained -> {};
        }
        PrintWriter err = spec.commandLine().getErr();
        return explained -> {
            err.print("\r" + explained + " groups explained ");
            err.flush();
        };
    }

    private void print(Observation observation) {
        PrintWriter out = spec.commandLine().getOut();
        if (Boolean.getBoolean("fanfold.terminal")) {
            spec.commandLine().getErr().print("\r" + " ".repeat(40) + "\r");
            spec.commandLine().getErr().flush();
        }
        if (asJson) {
            out.println(ObservationJson.of(observation));
        } else {
            out.print(new ObservationText(observation, top, Terminal.columns()).render());
            observation.findings().forEach(finding -> out.println(FindingText.of(finding)));
        }
        out.flush();
    }
}
