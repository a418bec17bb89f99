package io.fanfold.cli;

import io.fanfold.config.ConfigException;
import io.fanfold.config.ConfigLoader;
import io.fanfold.demo.DemoCommand;
import io.fanfold.demo.QueryComparison;
import io.fanfold.demo.SqlClient;
import io.fanfold.demo.WireSqlClient;
import io.fanfold.server.ProxyFactory;
import io.fanfold.server.Shutdown;
import java.io.IOException;
import java.util.Objects;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/**
 * The entry point: {@code fanfold COMMAND}. Exit codes: 0 done, 1 failed, 2 wrong usage or settings, 70 the heap is
 * exhausted or the proxy is broken.
 */
@Command(
        name = "fanfold",
        description = "A proxy for MySQL and MariaDB. It runs a big SELECT as several queries at once, and merges their"
                + " answers.",
        mixinStandardHelpOptions = true,
        footerHeading = "%n",
        footer = {
            "fanfold COMMAND --help shows the options of a command.",
            "From the sources, ./fanfold also runs bench and fuzz, which measure and test it.",
            Main.DOCUMENTATION
        },
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND")
public final class Main {
    /** A line of the help with the folder of the documentation. The launcher sets the property. */
    static final String DOCUMENTATION = "Documentation: ${sys:fanfold.home:-<source folder>}/docs";

    /** The exit code of a failure while running. */
    static final int FAILED = 1;

    /** The exit code of wrong arguments or settings; also picocli's. */
    static final int USAGE = 2;

    private Main() {}

    public static void main(String[] arguments) {
        launch(
                () -> commandLine(new ConfigLoader(System::getenv), ProxyProcess::start, WireSqlClient::open),
                arguments);
    }

    /**
     * Runs a command as this process, limits memory, reports a failure as one line, and exits. Memory is watched before
     * any command's class is loaded.
     */
    public static void launch(Supplier<CommandLine> line, String[] arguments) {
        OutOfMemoryWatch.begin();
        setUpNetty();
        CommandLine commands = line.get();
        commands.setExecutionExceptionHandler((exception, command, parsed) -> failure(exception, command));
        System.exit(commands.execute(arguments));
    }

    /** Sets properties that Netty reads when its first class that needs them is loaded. */
    private static void setUpNetty() {
        // By default Netty may use as much direct memory as the heap. Both together exceed a container's memory limit.
        setIfMissing(
                "io.netty.maxDirectMemory", String.valueOf(Runtime.getRuntime().maxMemory() / 2));
        // The build looks for leaks. In production that takes 2 % of the CPU time of a relayed statement.
        setIfMissing("io.netty.leakDetection.level", "disabled");
    }

    private static void setIfMissing(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    /**
     * Returns all commands with their dependencies.
     *
     * @param clients opens the connections of the demo
     */
    static CommandLine commandLine(ConfigLoader loader, ProxyFactory proxies, SqlClient.Factory clients) {
        return new CommandLine(new Main())
                .addSubcommand(new RunCommand(loader, proxies))
                .addSubcommand(new ReloadCommand(loader))
                .addSubcommand(new CheckConfigCommand(loader))
                .addSubcommand(new ExplainCommand(loader, proxies))
                .addSubcommand(new ObserveCommand(loader, proxies))
                .addSubcommand(new VerifyCommand(loader, proxies))
                .addSubcommand(new DemoCommand(proxies, clients, Shutdown::onInterrupt, QueryComparison.WARM_UP))
                .setExecutionExceptionHandler((exception, command, parsed) -> failure(exception, command));
    }

    /**
     * Reports a failure. What a user can correct is one line, with one line for each mistake in the settings. Anything
     * else is logged with its stack trace.
     */
    private static int failure(Exception exception, CommandLine command) {
        if (exception instanceof ConfigException settings) {
            settings.mistakes().forEach(mistake -> command.getErr().println("fanfold: " + mistake.text()));
            return USAGE;
        }
        boolean loop = exception instanceof OwnAddress.LoopException;
        if (loop || exception instanceof IOException) {
            command.getErr().println("fanfold: " + Objects.requireNonNullElse(exception.getMessage(), exception));
        } else {
            LoggerFactory.getLogger(Main.class).error("unexpected failure", exception);
        }
        return loop ? USAGE : FAILED;
    }

    /** Returns the version in the jar's manifest. */
    public static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = number();
            return new String[] {"fanfold " + (version.isEmpty() ? "(not packaged)" : version)};
        }

        /** Returns the number alone; "" if there is no jar. */
        static String number() {
            String version = Main.class.getPackage().getImplementationVersion();
            return version == null ? "" : version;
        }
    }
}
