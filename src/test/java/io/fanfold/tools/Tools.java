package io.fanfold.tools;

import io.fanfold.bench.BenchCommand;
import io.fanfold.cli.Main;
import io.fanfold.cli.ProxyProcess;
import io.fanfold.demo.WireSqlClient;
import io.fanfold.fuzz.FuzzCommand;
import io.fanfold.server.ProxyFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point of {@code fanfold bench} and {@code fanfold fuzz}, which are not part of the product. */
@Command(
        name = "fanfold",
        description = "Tools for the development of Fanfold.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND")
public final class Tools {
    private Tools() {}

    public static void main(String[] arguments) {
        Main.launch(() -> commandLine(ProxyProcess::start), arguments);
    }

    static CommandLine commandLine(ProxyFactory proxies) {
        return new CommandLine(new Tools())
                .addSubcommand(new BenchCommand(proxies, WireSqlClient::open))
                .addSubcommand(new FuzzCommand(proxies, WireSqlClient::open));
    }
}
