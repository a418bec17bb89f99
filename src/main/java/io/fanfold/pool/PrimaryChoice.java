package io.fanfold.pool;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.client.ConnectFailure;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.client.WireSettings;
import io.fanfold.config.HostPort;
import io.fanfold.config.RunningSettings;
import io.fanfold.row.Row;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the server of new connections: the first of {@code backend.hosts} that the worker account can reach and that is
 * not read-only. If there is none, the choice stays. Connections that are open stay where they are. Safe for use by
 * multiple threads.
 */
public final class PrimaryChoice implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PrimaryChoice.class);

    private static final long PAUSE_MILLIS = 1_000;

    /** A busy server may be silent for a second. One that refuses connections is given up at once. */
    static final int SILENCES = 3;

    private static final String READ_ONLY = "it is read-only";

    /**
     * The row of a server that is not read-only. The variable of the tested servers is a flag; {@code OFF} is for one whose
     * variable has more than two values.
     */
    private static final Set<String> WRITABLE = Set.of("[0]", "[OFF]");

    /** Asks one server. */
    interface Question extends AutoCloseable {
        /**
         * Returns why the server takes no new connections; empty if it does.
         *
         * @throws SocketTimeoutException if it does not answer, which may be different a moment later
         */
        Optional<String> obstacle(HostPort server) throws SocketTimeoutException;

        @Override
        default void close() {}
    }

    private final RunningSettings settings;
    private final Question question;
    private final ScheduledExecutorService looking =
            Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "primary-choice"));

    /** Those who asked for a look that has not begun. */
    @GuardedBy("waiting")
    private final List<Runnable> waiting = new ArrayList<>();

    /** How often in a row the server in use did not answer. */
    @GuardedBy("this")
    private int silences;

    @GuardedBy("this")
    private boolean none;

    /** Why each server took no new connections when it was asked last; "" if it did. */
    private volatile Map<HostPort, String> obstacles = Map.of();

    /** @param login how to log in as the worker account; its address does not matter */
    public PrimaryChoice(RunningSettings settings, Supplier<WireSettings> login) {
        this(settings, new ReadOnlyQuestion(login));
    }

    PrimaryChoice(RunningSettings settings, Question question) {
        this.settings = settings;
        this.question = question;
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Begins to ask the servers every second. */
    @SuppressWarnings("FutureReturnValueIgnored") // the task does not fail, and ends with this
    public void start() {
        looking.scheduleWithFixedDelay(this::lookOnce, 0, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void lookOnce() {
        try {
            look();
        } catch (RuntimeException | Error e) {
            // an error that is thrown would end the task that asks every second
            LOG.error("the servers of backend.hosts could not be asked", e);
        }
    }

    /**
     * Asks the servers now, because one could not be reached.
     *
     * @param then called when the choice has been made, within some seconds, by another thread or this one
     */
    public void lookAgain(Runnable then) {
        synchronized (waiting) {
            waiting.add(then);
            if (waiting.size() > 1) {
                // the look that the first of them has asked for has not begun
                return;
            }
        }
        try {
            looking.execute(() -> {
                List<Runnable> due = takeWaiting();
                lookOnce();
                due.forEach(PrimaryChoice::call);
            });
        } catch (RejectedExecutionException e) {
            takeWaiting().forEach(PrimaryChoice::call);
        }
    }

    private List<Runnable> takeWaiting() {
        synchronized (waiting) {
            List<Runnable> due = List.copyOf(waiting);
            waiting.clear();
            return due;
        }
    }

    private static void call(Runnable then) {
        try {
            then.run();
        } catch (RuntimeException e) {
            // such as the end of its event loop; others wait too
            LOG.debug("a client that waited for another server could not be told", e);
        }
    }

    private HostPort now() {
        return settings.get().backend().address();
    }

    /** The servers that are not in use, in the order of the settings, and why they could not be; "" if they could. */
    public Map<HostPort, String> standbys() {
        Map<HostPort, String> others = new LinkedHashMap<>();
        settings.get().backend().addresses().forEach(server -> others.put(server, obstacles.getOrDefault(server, "")));
        others.remove(now());
        return others;
    }

    /** Asks each server, and chooses. Returns the server of new connections. */
    public synchronized HostPort look() {
        HostPort now = now();
        List<HostPort> all = settings.get().backend().addresses();
        Map<HostPort, String> found = new LinkedHashMap<>();
        boolean silent = false;
        for (HostPort server : all) {
            try {
                found.put(server, question.obstacle(server).orElse(""));
            } catch (SocketTimeoutException e) {
                silent |= server.equals(now);
                found.put(server, "it does not answer");
            }
        }
        obstacles = Map.copyOf(found);
        silences = silent ? silences + 1 : 0;
        if (silent && silences < SILENCES) {
            return now;
        }
        Optional<HostPort> first =
                all.stream().filter(server -> "".equals(found.get(server))).findFirst();
        if (first.isEmpty() && !none) {
            LOG.warn("no server of backend.hosts takes new connections, which still go to {}: {}", now, shown(found));
        }
        none = first.isEmpty();
        if (first.isPresent() && !first.get().equals(now)) {
            String why = found.getOrDefault(now, "");
            LOG.warn(
                    "new connections go to {}, no longer to {}: {}",
                    first.get(),
                    now,
                    why.isEmpty() ? "it comes first" : why);
            settings.moveTo(first.get());
        }
        return now();
    }

    private static String shown(Map<HostPort, String> found) {
        return found.entrySet().stream()
                .map(entry -> entry.getKey() + ": " + entry.getValue())
                .collect(Collectors.joining("; "));
    }

    @Override
    public void close() {
        looking.shutdownNow();
        takeWaiting().forEach(PrimaryChoice::call);
        question.close();
    }

    /** Asks for {@code read_only}, which is also on where {@code super_read_only} is. Keeps a connection to each server. */
    private static final class ReadOnlyQuestion implements Question {
        private final Supplier<WireSettings> login;

        @GuardedBy("this")
        private final Map<HostPort, WireConnection> kept = new HashMap<>();

        @GuardedBy("this")
        private boolean closed;

        ReadOnlyQuestion(Supplier<WireSettings> login) {
            this.login = login;
        }

        @Override
        public synchronized Optional<String> obstacle(HostPort server) throws SocketTimeoutException {
            WireConnection before = kept.remove(server);
            if (before != null) {
                try {
                    return ask(server, before);
                } catch (SocketTimeoutException e) {
                    throw e;
                } catch (IOException | ServerException e) {
                    LOG.debug("the connection that asks {} is opened again", server, e);
                }
            }
            try {
                return ask(server, WireConnection.open(login.get().to(server)));
            } catch (SocketTimeoutException e) {
                throw e;
            } catch (IOException | ServerException e) {
                return Optional.of(ConnectFailure.of(e).text());
            }
        }

        @GuardedBy("this")
        private Optional<String> ask(HostPort server, WireConnection connection) throws IOException, ServerException {
            boolean answered = false;
            try {
                List<Row> rows = connection.query("SELECT @@global.read_only").rows();
                answered = true;
                return WRITABLE.contains(rows.toString()) ? Optional.empty() : Optional.of(READ_ONLY);
            } finally {
                if (answered && !closed) {
                    kept.put(server, connection);
                } else {
                    connection.abort();
                }
            }
        }

        @Override
        public synchronized void close() {
            closed = true;
            kept.values().forEach(WireConnection::close);
            kept.clear();
        }
    }
}
