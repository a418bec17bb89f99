package io.fanfold.execute;

import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.RunningSettings;
import io.fanfold.execute.ShowStatus.ShownStatus;
import io.fanfold.metrics.FanfoldMetrics;
import io.fanfold.sql.ProxyStatement;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the statements that no server knows. EXPLAIN FANFOLD and ANALYZE take a coordinator, as the statements that they are
 * about. The others have threads of their own, because an operator needs them most when all coordinators wait. Safe for all
 * threads.
 */
final class ProxyStatements {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyStatements.class);

    private static final int ADMIN_THREADS = 4;
    private static final int ADMIN_WAITING = 100;
    private static final Duration ADMIN_PATIENCE = Duration.ofSeconds(10);

    private static final int ER_UNKNOWN_ERROR = 1105;

    private final FanOutResources resources;
    private final RunningSettings settings;
    private final Map<String, ShownStatus> statuses;
    private final FanfoldMetrics metrics;
    private final StatementThreads coordinators;
    private final StatementThreads admins = new StatementThreads("admin", ADMIN_WAITING);

    /** @param statuses what SHOW FANFOLD shows, by name in lower case */
    ProxyStatements(
            FanOutResources resources,
            RunningSettings settings,
            Map<String, ShownStatus> statuses,
            FanfoldMetrics metrics,
            StatementThreads coordinators) {
        this.resources = resources;
        this.settings = settings;
        this.statuses = statuses;
        this.metrics = metrics;
        this.coordinators = coordinators;
        admins.allow(ADMIN_THREADS);
    }

    /**
     * Answers a statement on another thread. The server gets it, and refuses it, if none is free in time.
     *
     * @param dispatcher decides about the statement that EXPLAIN is about
     */
    void submit(ProxyStatement statement, FanOutRequest request, FanfoldConfig config, FanOutDispatcher dispatcher) {
        ClientConnection client = request.client();
        if (statement instanceof ProxyStatement.Explain explain) {
            coordinators.run(
                    () -> run(
                            client,
                            () -> new ExplainFanOut(request, explain, config, metrics, resources, dispatcher).run()),
                    config.workers().queueWait(),
                    client::passThrough);
        } else {
            admins.run(() -> run(client, () -> answer(statement, client)), ADMIN_PATIENCE, client::passThrough);
        }
    }

    private void answer(ProxyStatement statement, ClientConnection client) {
        if (statement instanceof ProxyStatement.Show show) {
            new ShowStatus(client, show, statuses, resources.catalog().flavor()).run();
        } else {
            Runnable purge = () -> resources.reuse().results().clear();
            new SettingsStatement(
                            client,
                            statement,
                            settings,
                            purge,
                            resources.catalog().flavor())
                    .run();
        }
    }

    /** Runs a statement. Its client has an answer also if it fails. */
    private static void run(ClientConnection client, Runnable statement) {
        try {
            statement.run();
        } catch (RuntimeException | Error e) {
            LOG.error("session {}: a statement of Fanfold failed", client.backendThreadId(), e);
            try {
                client.fail(ER_UNKNOWN_ERROR, "HY000", "Fanfold: " + e, false);
            } catch (IllegalStateException answered) {
                LOG.debug("session {}: the client has its answer already", client.backendThreadId(), answered);
            }
        }
    }

    /** Takes no further statements. */
    void close() throws InterruptedException {
        admins.close(Duration.ZERO);
    }
}
