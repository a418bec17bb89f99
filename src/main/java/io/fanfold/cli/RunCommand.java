package io.fanfold.cli;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.ConfigLoader;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.WorkersConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fanfold run}: runs the proxy until the process is asked to end. */
@Command(name = "run", description = "Start the proxy.", mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);

    private final ConfigLoader loader;
    private final ProxyFactory proxies;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "the settings' file; without it the defaults hold")
    private @Nullable Path config;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            description = "where clients connect, instead of the file's listener")
    private @Nullable HostPort listen;

    @Option(
            names = "--backend",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            description = "the server, instead of the file's backend")
    private @Nullable HostPort backend;

    @Option(
            names = "--worker-user",
            paramLabel = "USER",
            description =
                    "the worker account, instead of the file's; its password comes from the file's source, or from"
                            + " the environment variable " + ConfigLoader.PASSWORD_VARIABLE)
    private @Nullable String workerUser;

    RunCommand(ConfigLoader loader, ProxyFactory proxies) {
        this.loader = loader;
        this.proxies = proxies;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        FanfoldConfig settings = settings();
        Reload.begin(settings.log().level());
        if (!Signals.on("HUP", () -> LOG.info("SIGHUP: still starting"))) {
            LOG.info("SIGHUP is ignored, as nohup has it: it will not read settings and certificates again");
        }
        Shutdown shutdown = Shutdown.listen();
        try (RunningProxy proxy = proxies.start(settings)) {
            return shutdown.await(proxy, new Reload(settings, this::settings, proxy));
        }
    }

    /** Returns the settings of the file, or the defaults, with the values of the command line in their place. */
    FanfoldConfig settings() {
        FanfoldConfig base = config == null ? FanfoldConfig.defaults() : loader.load(config);
        ListenerConfig listener =
                listen == null ? base.listener() : base.listener().at(listen.host(), listen.port());
        BackendConfig server = backend == null ? base.backend() : base.backend().at(backend.host(), backend.port());
        return base.with(listener, server, workers(base.workers()));
    }

    private WorkersConfig workers(WorkersConfig base) {
        if (workerUser == null) {
            return base;
        }
        return base.with(workerUser, base.enabled() ? base.password() : loader.defaultPassword(), base.connections());
    }
}
