package io.fanfold.cli;

import io.fanfold.config.ConfigLoader;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.TableEntry;
import io.fanfold.config.TablesConfig;
import io.fanfold.demo.TextTable;
import io.fanfold.demo.TextTable.Heading;
import io.fanfold.observe.BothWays;
import io.fanfold.observe.BothWays.RunStatement;
import io.fanfold.observe.LocalProxy;
import io.fanfold.reason.Reason;
import io.fanfold.server.ProxyFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fanfold verify FILE}: runs statements with and without a split, and compares the answers. */
@Command(
        name = "verify",
        description = {
            "Run the SELECTs of a file split and without a split, in the same snapshot, and compare the answers.",
            "Fanfold splits every statement that can be split, however few rows it reads."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:no answer differs",
            "1:the server cannot be reached, or refuses an account; the file cannot be read",
            "2:wrong usage, or a mistake in the settings",
            "3:an answer differs"
        },
        footerHeading = "%nExample:%n",
        footer = {
            "  ./fanfold verify --backend db.example:3306 --worker-user fanfold --database shop reports.sql",
            "",
            Main.DOCUMENTATION
        })
final class VerifyCommand implements Callable<Integer> {
    /** The number of characters of the longest reason, so that all lines are aligned. */
    private static final int LONGEST_REASON = Arrays.stream(Reason.values())
            .mapToInt(reason -> reason.label().length())
            .max()
            .orElse(0);

    private static final int DIFFERENT = 3;

    private final ConfigLoader loader;
    private final ProxyFactory proxies;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerAccess server = new ServerAccess();

    @Option(
            names = "--database",
            paramLabel = "NAME",
            description = "the schema of the session until the file names another (default: none)")
    private @Nullable String database;

    @Parameters(
            paramLabel = "FILE",
            description = "statements that end with semicolons, or a slow query log of MySQL or MariaDB; - for standard"
                    + " input")
    private String file = "-";

    /** The numbers of statements so far. */
    private static final class Totals {
        private int split;
        private int different;
    }

    VerifyCommand(ConfigLoader loader, ProxyFactory proxies) {
        this.loader = loader;
        this.proxies = proxies;
    }

    @Override
    public Integer call() throws IOException {
        ServerAccess.Access access = server.access(spec, loader);
        FanfoldConfig config = verifyingAll(access.config());
        try (LogOutput.Quiet quiet = LogOutput.ofProcess().quiet();
                InputStream in = input();
                LocalProxy proxy = LocalProxy.start(proxies, config)) {
            return run(new BothWays(proxy, access.client()), in);
        }
    }

    /** Splits small tables too, and verifies each split, whatever the file says about all tables or about some. */
    private static FanfoldConfig verifyingAll(FanfoldConfig config) {
        List<TableEntry> entries = config.tables().entries().stream()
                .map(entry -> entry.withMinRows(0L).withVerifyShare(1.0))
                .toList();
        return config.withFanOut(config.fanOut().withMinRows(0).withVerifyShare(1))
                .withTables(new TablesConfig(entries));
    }

    private InputStream input() throws IOException {
        if (file.equals("-")) {
            return System.in;
        }
        try {
            return Files.newInputStream(Path.of(file));
        } catch (NoSuchFileException e) {
            throw new IOException(file + ": there is no such file", e);
        }
    }

    private int run(BothWays both, InputStream in) throws IOException {
        TextTable table = new TextTable(
                Heading.left("answers").atLeast(LONGEST_REASON),
                Heading.right("direct").atLeast(10),
                Heading.right("Fanfold").atLeast(10),
                Heading.left("statement"));
        PrintWriter out = spec.commandLine().getOut();
        out.print(table.head());
        out.flush();
        Totals totals = new Totals();
        int all = both.run(in, database == null ? "" : database, statement -> {
            totals.split += statement.split() ? 1 : 0;
            totals.different += statement.different() ? 1 : 0;
            out.print(line(table, statement));
            out.flush();
        });
        out.println(all + " statements, " + totals.split + " split, " + totals.different + " with different answers");
        out.flush();
        return totals.different == 0 ? 0 : DIFFERENT;
    }

    private static String line(TextTable table, RunStatement statement) {
        return table.line(
                statement.outcome(), time(statement.directNanos()), time(statement.fanfoldNanos()), statement.sql());
    }

    private static String time(long nanos) {
        return nanos == 0 ? "" : String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
    }
}
