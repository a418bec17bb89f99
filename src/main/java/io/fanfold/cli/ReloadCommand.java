package io.fanfold.cli;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.client.WireSettings;
import io.fanfold.config.BackendConfig.ProxyProtocol;
import io.fanfold.config.BackendTlsConfig;
import io.fanfold.config.ConfigLoader;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.HostPort;
import io.fanfold.config.ListenerConfig;
import io.fanfold.config.Secret;
import io.fanfold.config.SettingsChange.ChangedSetting;
import io.fanfold.demo.HostPortConverter;
import io.fanfold.row.Row;
import io.fanfold.tls.BackendTls;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code fanfold reload}: makes a running proxy read its settings file again, and says what has changed. */
@Command(
        name = "reload",
        description = {
            "Make a running Fanfold read its settings file and its certificates again, and show what has changed.",
            "It logs in through the proxy and runs RELOAD FANFOLD. The account needs the privilege"
                    + " SYSTEM_VARIABLES_ADMIN or SUPER (MariaDB: SUPER) at the server."
        },
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the settings are reloaded; a line for each one that has changed or that needs a restart",
            "1:nothing has changed: a mistake in the settings file, no such proxy, or no right to do it",
            "2:wrong usage"
        },
        footerHeading = "%nExample:%n",
        footer = {"  ./fanfold reload --proxy 127.0.0.1:3307 --user root --password", "", Main.DOCUMENTATION})
final class ReloadCommand implements Callable<Integer> {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(60);

    /** A server that is no Fanfold, or an older one, does not know the statement. */
    private static final int ER_PARSE_ERROR = 1064;

    private final ConfigLoader loader;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "the settings file of the proxy, for its address (default: none)")
    private @Nullable Path config;

    @Option(
            names = "--proxy",
            paramLabel = "HOST:PORT",
            converter = HostPortConverter.class,
            description = "the address of the proxy (default: the file's listener, or 127.0.0.1:3307)")
    private @Nullable HostPort proxy;

    @Option(names = "--user", paramLabel = "USER", required = true, description = "the account to log in with")
    private String user = "";

    @Option(
            names = "--password",
            arity = "0",
            interactive = true,
            description = "ask for the password of --user. Without this option, it comes from the environment variable "
                    + ServerAccess.PASSWORD_VARIABLE)
    private @Nullable String password;

    ReloadCommand(ConfigLoader loader) {
        this.loader = loader;
    }

    @Override
    public Integer call() throws IOException {
        WireSettings login = login();
        try (LogOutput.Quiet quiet = LogOutput.ofProcess().quiet();
                WireConnection connection = open(login)) {
            print(connection.query("RELOAD FANFOLD").rows());
            return 0;
        } catch (ServerException e) {
            String message = e.errno() == ER_PARSE_ERROR ? "it does not know RELOAD FANFOLD" : e.getMessage();
            throw new IOException(new HostPort(login.host(), login.port()) + ": " + message, e);
        }
    }

    private static WireConnection open(WireSettings login) throws IOException, ServerException {
        try {
            return WireConnection.open(login);
        } catch (IOException e) {
            throw new IOException(
                    new HostPort(login.host(), login.port()) + " cannot be reached: " + e.getMessage(), e);
        }
    }

    private void print(List<Row> changes) {
        PrintWriter out = spec.commandLine().getOut();
        changes.forEach(change -> out.println(line(change)));
        if (changes.isEmpty()) {
            out.println("no setting has changed");
        }
        out.flush();
    }

    private static String line(Row change) {
        String setting = new ChangedSetting(text(change, 0), text(change, 1), text(change, 2)).toString();
        String effect = text(change, 3);
        return effect.equals("now") ? setting : setting + " (" + effect + ")";
    }

    private static String text(Row row, int column) {
        return String.valueOf(row.utf8(column));
    }

    private WireSettings login() throws IOException {
        ListenerConfig listener = (config == null ? FanfoldConfig.defaults() : loader.load(config)).listener();
        String host = proxy == null ? listener.host() : proxy.host();
        Secret secret = password == null ? loader.password(ServerAccess.PASSWORD_VARIABLE) : new Secret(password);
        return new WireSettings(
                host.equals("0.0.0.0") ? "127.0.0.1" : host.equals("::") ? "::1" : host,
                proxy == null ? listener.port() : proxy.port(),
                user,
                secret,
                CONNECT_TIMEOUT,
                READ_TIMEOUT,
                Duration.ZERO,
                WireSettings.DEFAULT_MAX_PAYLOAD_BYTES,
                ProxyProtocol.OFF,
                new WireSettings.Tls(new BackendTls(BackendTlsConfig.defaults()), host));
    }
}
