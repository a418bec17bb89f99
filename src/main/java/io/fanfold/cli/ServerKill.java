package io.fanfold.cli;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.client.WireSettings;
import io.fanfold.config.BackendConfig;
import io.fanfold.config.Secret;
import io.fanfold.config.WorkersConfig;
import io.fanfold.execute.FanOutDispatcher;
import io.fanfold.http.KillRoute;
import io.fanfold.tls.BackendTls;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Kills a statement with an account of the server, which decides whether the account may. Thread-safe.
 *
 * @param backend the settings of the server of now
 * @param tls encrypts the connection; null for no encryption
 * @param dispatcher ends the fan-out of the killed statement
 */
record ServerKill(Supplier<BackendConfig> backend, @Nullable BackendTls tls, FanOutDispatcher dispatcher)
        implements KillRoute.Killer {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @Override
    public Optional<String> kill(long threadId, String user, String password) {
        WireSettings account =
                WireSettings.of(backend.get(), tls, WorkersConfig.defaults().with(user, new Secret(password), 2));
        WireSettings settings = new WireSettings(
                account.host(),
                account.port(),
                account.user(),
                account.password(),
                account.connectTimeout(),
                PATIENCE,
                account.keepAlive(),
                account.maxPayloadBytes(),
                account.proxyProtocol(),
                account.tls());
        try (WireConnection connection = WireConnection.open(settings)) {
            connection.execute("KILL QUERY " + threadId);
            dispatcher.killed(threadId);
            return Optional.empty();
        } catch (ServerException e) {
            return Optional.of(e.errno() + ": " + e.getMessage());
        } catch (IOException e) {
            return Optional.of("the server cannot be reached: " + e.getMessage());
        }
    }
}
