package io.fanfold.cli;

import io.fanfold.client.SideConnection;
import io.fanfold.client.WireSettings;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.ConfigLoader;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HostPort;
import io.fanfold.config.RunningSettings;
import io.fanfold.inspect.Finding;
import io.fanfold.inspect.Inspection;
import io.fanfold.inspect.Inspector;
import io.fanfold.pool.PrimaryChoice;
import io.fanfold.pool.WorkerPool;
import io.fanfold.tls.Encryption;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code fanfold check-config FILE}: checks a settings file and, on request, whether statements can be split on its
 * server.
 */
@Command(
        name = "check-config",
        description = "Check a settings file without starting the proxy.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:no mistake; with --connect, statements can be split",
            "1:with --connect, no statement can be split",
            "2:a mistake in the file"
        },
        footerHeading = "%n",
        footer = Main.DOCUMENTATION)
final class CheckConfigCommand implements Callable<Integer> {
    private final ConfigLoader loader;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--connect",
            description = "also log in to the server as the worker account, and show which tables can be split, which"
                    + " cannot, and how to change that")
    private boolean connect;

    @Parameters(paramLabel = "FILE", description = "the settings file")
    private Path file = Path.of("");

    CheckConfigCommand(ConfigLoader loader) {
        this.loader = loader;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        FanfoldConfig config = loader.load(file);
        String workers = config.workers().enabled()
                ? "fan-out with account " + config.workers().user()
                : "no worker account: every statement is passed through";
        out().println(file + ": fine; clients on "
                + new HostPort(config.listener().host(), config.listener().port())
                + (config.listener().socket() == null
                        ? ""
                        : " and " + config.listener().socket())
                + ", server at "
                + new HostPort(config.backend().host(), config.backend().port()) + ", " + workers);
        if (!connect) {
            return 0;
        }
        OwnAddress.refuse(config);
        Inspection inspection = inspect(config);
        print(inspection);
        return inspection.splits() ? 0 : Main.FAILED;
    }

    private static Inspection inspect(FanfoldConfig config) throws IOException, InterruptedException {
        if (!config.workers().enabled()) {
            return Inspector.ofSettings(config);
        }
        Encryption encryption = Encryption.open(config);
        RunningSettings settings = RunningSettings.of(config);
        WireSettings login = WireSettings.of(config.backend(), encryption.backend(), config.workers());
        try (PrimaryChoice choice = new PrimaryChoice(settings, () -> SideConnection.hurried(login))) {
            List<Finding> servers = config.backend().hosts().isEmpty() ? List.of() : servers(choice);
            BackendConfig chosen = settings.get().backend();
            try (WorkerPool pool = new WorkerPool(chosen, encryption.backend(), config.workers())) {
                return new Inspector(settings, pool).connect().with(servers);
            }
        } finally {
            encryption.close();
        }
    }

    /** What is found about the servers of {@code backend.hosts}. */
    private static List<Finding> servers(PrimaryChoice choice) {
        List<Finding> findings =
                new ArrayList<>(List.of(Finding.info("new clients are connected to " + choice.look())));
        choice.standbys()
                .forEach((server, why) -> findings.add(Finding.info(
                        "server " + server + (why.isEmpty() ? " could be used too" : " is not used: " + why))));
        return findings;
    }

    private void print(Inspection inspection) {
        for (Finding finding : inspection.findings()) {
            out().println(FindingText.of(finding));
        }
        for (Inspection.Table table : inspection.tables()) {
            out().println(String.format(
                    Locale.ROOT,
                    "table   %s: %d partitions, about %d rows; %s",
                    table.name(),
                    table.partitions(),
                    table.rows(),
                    table.obstacle().isEmpty() ? table.settings() : "never split: " + table.obstacle()));
        }
        out().println(inspection.splits() ? "Statements can be split." : "No statement can be split.");
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
