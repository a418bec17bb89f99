package io.fanfold.cli;

import io.fanfold.config.ConfigLoader;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HostPort;
import io.fanfold.config.Secret;
import io.fanfold.config.WorkersConfig;
import io.fanfold.demo.HostPortConverter;
import io.fanfold.observe.Account;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options that name a server and the accounts of a client and of the workers. */
final class ServerAccess {
    static final String PASSWORD_VARIABLE = "FANFOLD_USER_PASSWORD";

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "the settings file of the proxy (default: none; all settings have their default values)")
    private @Nullable Path config;

    @Option(
            names = "--backend",
            paramLabel = "HOST:PORT",
            converter = HostPortConverter.class,
            description = "the address of the MySQL or MariaDB server (default: the file's backend, or 127.0.0.1:3306)")
    private @Nullable HostPort backend;

    @Option(
            names = "--user",
            paramLabel = "USER",
            description = "the account whose statements are explained (default: the worker account)")
    private @Nullable String user;

    @Option(
            names = "--password",
            arity = "0",
            interactive = true,
            description = "ask for the password of --user. Without this option, it comes from the environment variable "
                    + PASSWORD_VARIABLE + ", or from " + ConfigLoader.PASSWORD_VARIABLE
                    + " if the account is the worker account too")
    private @Nullable String password;

    @Option(
            names = "--worker-user",
            paramLabel = "USER",
            description =
                    "the worker account (default: the file's, or --user). If the file has a worker account, the password"
                            + " comes from the source in the file; else from the environment variable "
                            + ConfigLoader.PASSWORD_VARIABLE)
    private @Nullable String workerUser;

    /**
     * The settings of a proxy, and the client's account.
     *
     * @param config has a worker account
     * @param client logs in through the proxy
     */
    record Access(FanfoldConfig config, Account client) {}

    /**
     * Returns the values of the command line in the place of the file's, or of the defaults. One account is enough: it is
     * both then.
     *
     * @throws ParameterException if no account is named
     */
    Access access(CommandSpec command, ConfigLoader loader) {
        FanfoldConfig base = config == null ? FanfoldConfig.defaults() : loader.load(config);
        if (user == null && workerUser == null && !base.workers().enabled()) {
            throw new ParameterException(
                    command.commandLine(),
                    "no account is named (expected: --user or --worker-user, or workers.user in the file of --config)");
        }
        Secret own = password == null ? loader.password(PASSWORD_VARIABLE) : new Secret(password);
        WorkersConfig workers = base.workers();
        if (workerUser != null) {
            workers = workers.with(
                    workerUser,
                    workers.enabled() ? workers.password() : loader.defaultPassword(),
                    workers.connections());
        } else if (!workers.enabled() && user != null) {
            // one account is both, so either variable may hold its password
            own = own.isEmpty() ? loader.defaultPassword() : own;
            workers = workers.with(user, own, workers.connections());
        }
        FanfoldConfig settings = base.withWorkers(workers);
        if (backend != null) {
            settings = settings.withBackend(base.backend().at(backend.host(), backend.port()));
        }
        return new Access(
                settings, user == null ? new Account(workers.user(), workers.password()) : new Account(user, own));
    }
}
