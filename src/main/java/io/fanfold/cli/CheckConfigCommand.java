package io.fanfold.cli;

import io.fanfold.config.ConfigLoader;
import io.fanfold.config.FanfoldConfig;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fanfold check-config FILE}: reads a settings' file and says whether it is right. */
@Command(
        name = "check-config",
        description = "Check a settings' file without starting anything.",
        mixinStandardHelpOptions = true)
final class CheckConfigCommand implements Callable<Integer> {
    private final ConfigLoader loader;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "FILE", description = "the settings' file")
    private Path file = Path.of("");

    CheckConfigCommand(ConfigLoader loader) {
        this.loader = loader;
    }

    @Override
    public Integer call() {
        FanfoldConfig config = loader.load(file);
        String workers = config.workers().enabled()
                ? "fan-out with account " + config.workers().user()
                : "no worker account: every statement is passed through";
        spec.commandLine()
                .getOut()
                .println(file + ": fine; clients on "
                        + new HostPort(
                                config.listener().host(), config.listener().port())
                        + (config.listener().socket() == null
                                ? ""
                                : " and " + config.listener().socket())
                        + ", server at "
                        + new HostPort(config.backend().host(), config.backend().port()) + ", " + workers);
        return 0;
    }
}
