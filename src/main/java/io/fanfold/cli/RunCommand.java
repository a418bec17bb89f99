package io.fanfold.cli;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.ConfigLoader;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HostPort;
import io.fanfold.config.HttpConfig;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.RunningSettings;
import io.fanfold.config.SettingsFile;
import io.fanfold.config.WorkersConfig;
import io.fanfold.demo.HostPortConverter;
import io.fanfold.server.ProxyFactory;
import io.fanfold.server.RunningProxy;
import io.fanfold.server.Shutdown;
import io.fanfold.server.Signals;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code fanfold run}: runs the proxy until the process is asked to end. */
@Command(
        name = "run",
        description = {
            "Start the proxy.",
            "Without a worker account (--worker-user, or workers.user in the file), nothing is split: Fanfold passes"
                    + " every statement through to the server."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:stopped by SIGTERM or SIGINT",
            "1:failed",
            "2:wrong usage, or a mistake in the settings",
            "70:internal failure or out of memory; start it again",
            "143:stopped at once by a second signal"
        },
        footerHeading = "%nExample:%n",
        footer = {"  ./fanfold run --backend db.example:3306 --worker-user fanfold", "", Main.DOCUMENTATION})
final class RunCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);

    private final ConfigLoader loader;
    private final ProxyFactory proxies;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "the settings file (default: none; all settings have their default values)")
    private @Nullable Path config;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            converter = HostPortConverter.class,
            description = "the address that clients connect to (default: the file's listener, or 127.0.0.1:3307)")
    private @Nullable HostPort listen;

    @Option(
            names = "--backend",
            paramLabel = "HOST:PORT",
            converter = HostPortConverter.class,
            description = "the address of the MySQL or MariaDB server (default: the file's backend, or 127.0.0.1:3306)")
    private @Nullable HostPort backend;

    @Option(
            names = "--worker-user",
            paramLabel = "USER",
            description =
                    "the worker account (default: the file's, or none). If the file has a worker account, the password"
                            + " comes from the source in the file; else from the environment variable "
                            + ConfigLoader.PASSWORD_VARIABLE)
    private @Nullable String workerUser;

    @Option(
            names = "--http",
            paramLabel = "HOST:PORT",
            arity = "0..1",
            fallbackValue = "",
            description =
                    "open the HTTP port with metrics and health checks, at this address (default: the file's http,"
                            + " or 127.0.0.1:13380). An address that other machines can reach needs a token in the file")
    private @Nullable String http;

    RunCommand(ConfigLoader loader, ProxyFactory proxies) {
        this.loader = loader;
        this.proxies = proxies;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        RunningSettings settings = new RunningSettings(new SettingsFile(loader, config, this::withOptions));
        LogOutput output = LogOutput.ofProcess();
        output.begin(settings.get().log());
        settings.onChange((before, now) -> output.change(before.log(), now.log()));
        if (!Signals.on("HUP", () -> LOG.info("SIGHUP has no effect: Fanfold is still starting"))) {
            LOG.info("SIGHUP is ignored, as under nohup: Fanfold cannot reload settings and certificates");
        }
        Shutdown shutdown = Shutdown.listen();
        SystemdNotifier systemd = SystemdNotifier.ofProcess();
        try (RunningProxy proxy = proxies.start(settings)) {
            Reload settingsAgain = new Reload(settings);
            // before systemd knows that the proxy is ready: it may reload at once
            Signals.on("HUP", () -> systemd.reload(settingsAgain));
            FanfoldConfig started = settings.get();
            systemd.ready("clients on " + new HostPort(started.listener().host(), proxy.port()) + ", server at "
                    + new HostPort(started.backend().host(), started.backend().port()));
            int status = shutdown.await(proxy);
            systemd.stopping(settings.get().limits().drainTime());
            return status;
        }
    }

    /** Returns the settings with the values of the command line in their place. */
    private FanfoldConfig withOptions(FanfoldConfig base) {
        ListenerConfig listener =
                listen == null ? base.listener() : base.listener().at(listen.host(), listen.port());
        BackendConfig server = backend == null ? base.backend() : base.backend().at(backend.host(), backend.port());
        return base.with(listener, server, workers(base.workers())).withHttp(http(base.http()));
    }

    private HttpConfig http(HttpConfig base) {
        if (http == null) {
            return base;
        }
        if (http.isEmpty()) {
            return base.on(base.host(), base.port(), "--http");
        }
        try {
            HostPort address = HostPort.parse(http);
            return base.on(address.host(), address.port(), "--http");
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "Invalid value for option '--http': " + e.getMessage());
        }
    }

    private WorkersConfig workers(WorkersConfig base) {
        if (workerUser == null) {
            return base;
        }
        return base.with(workerUser, base.enabled() ? base.password() : loader.defaultPassword(), base.connections());
    }
}
