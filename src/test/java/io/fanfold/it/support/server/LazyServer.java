package io.fanfold.it.support.server;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** A server that is started once, at the first request. A failure is remembered too. Thread-safe. */
final class LazyServer {
    private final ServerName name;
    private final Callable<TestServer> start;
    private @Nullable TestServer server;
    private @Nullable Throwable failure;

    LazyServer(ServerName name, Callable<TestServer> start) {
        this.name = name;
        this.start = start;
    }

    /** Returns why it did not start; empty if it runs. */
    synchronized Optional<Throwable> failure() {
        startOnce();
        return Optional.ofNullable(failure);
    }

    /** Returns the running server. */
    synchronized TestServer server() {
        startOnce();
        if (server == null) {
            throw new IllegalStateException(name + " did not start", failure);
        }
        return server;
    }

    // Any throwable means "not available": Testcontainers also throws errors, such as ExceptionInInitializerError if no
    // container engine answers.
    @SuppressWarnings("IllegalCatch")
    private void startOnce() {
        if (server != null || failure != null) {
            return;
        }
        try {
            TestServer started = start.call();
            System.err.println("server for tests: " + name + " is " + version(started) + " at " + started.host() + ":"
                    + started.port());
            server = started;
        } catch (Throwable e) {
            failure = e;
            System.err.println("******** " + name + " IS NOT THERE, its tests do not run ("
                    + String.valueOf(e.getMessage()).lines().findFirst().orElse("") + ") ********");
        }
    }

    private static String version(TestServer server) throws SQLException {
        try (Connection connection = server.connect("");
                Statement statement = connection.createStatement();
                ResultSet version = statement.executeQuery("SELECT VERSION()")) {
            version.next();
            return version.getString(1);
        }
    }
}
