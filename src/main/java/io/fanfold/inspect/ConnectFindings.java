package io.fanfold.inspect;

import io.fanfold.catalog.AccountName;
import io.fanfold.client.ConnectFailure;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.WorkersConfig;
import java.util.List;

/** The finding, with remedies, if the server cannot be reached or refuses the worker account. */
final class ConnectFindings {
    private static final int CON_COUNT = 1040;
    private static final int ACCESS_DENIED = 1045;
    /** No account may log in from the proxy's host. */
    static final int HOST_NOT_PRIVILEGED = 1130;

    /** Too many connections of the proxy's host have ended without a login. */
    static final int HOST_BLOCKED = 1129;

    private static final int PLUGIN_DENIED = 1698;
    private static final int TOO_MANY_USER_CONNECTIONS = 1203;
    private static final int USER_LIMIT = 1226;
    private static final int ACCOUNT_LOCKED = 3118;
    private static final int ACCOUNT_LOCKED_MARIADB = 4151;
    private static final int PASSWORD_EXPIRED = 1862;

    private ConnectFindings() {}

    static Finding of(ConnectFailure failure, BackendConfig backend, WorkersConfig workers) {
        String server = backend.host() + ":" + backend.port();
        if (failure.errno() == 0) {
            return Finding.blocks(
                    "the server at " + server + " cannot be reached: " + failure.text(),
                    List.of("start the server", "set backend.host and backend.port (--backend HOST:PORT)"));
        }
        return Finding.blocks(
                "the worker account " + workers.user() + " cannot log in at " + server + ": error " + failure.text(),
                remedies(failure, workers));
    }

    private static List<String> remedies(ConnectFailure failure, WorkersConfig workers) {
        String user = new AccountName(workers.user(), "%").toString();
        return switch (failure.errno()) {
            case ACCESS_DENIED, PLUGIN_DENIED -> denied(failure, workers);
            case HOST_NOT_PRIVILEGED -> List.of("CREATE USER " + user + " IDENTIFIED BY '...';");
            case HOST_BLOCKED -> List.of("FLUSH HOSTS;");
            case CON_COUNT -> List.of("SET GLOBAL max_connections = ...; with a larger number");
            case TOO_MANY_USER_CONNECTIONS, USER_LIMIT ->
                List.of("ALTER USER " + user + " WITH MAX_USER_CONNECTIONS " + (workers.connections() + 3) + ";");
            case ACCOUNT_LOCKED, ACCOUNT_LOCKED_MARIADB -> List.of("ALTER USER " + user + " ACCOUNT UNLOCK;");
            case PASSWORD_EXPIRED -> List.of("ALTER USER " + user + " IDENTIFIED BY '...';");
            default -> List.of();
        };
    }

    private static List<String> denied(ConnectFailure failure, WorkersConfig workers) {
        // ... for user 'fanfold'@'10.1.2.3' (using password: YES)
        String[] parts = failure.text().split("'@'", 2);
        String host = parts.length < 2 ? "%" : parts[1].split("'", 2)[0];
        String account = new AccountName(workers.user(), host).toString();
        String password = workers.password().reveal().isEmpty()
                ? "set the password in the environment variable of workers.password-env, FANFOLD_WORKER_PASSWORD by default"
                : "check the password in workers.password-env or workers.password-file";
        return List.of(password, "CREATE USER " + account + " IDENTIFIED BY '...'; if the account does not exist");
    }
}
