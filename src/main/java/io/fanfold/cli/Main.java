package io.fanfold.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point: {@code fanfold COMMAND}. */
@Command(
        name = "fanfold",
        description = "A MySQL wire-protocol proxy that runs big SELECTs on partitioned tables in parallel.",
        mixinStandardHelpOptions = true,
        subcommands = {})
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Main()).execute(arguments));
    }
}
