package io.fanfold.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fanfold.config.BackendConfig;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.RunningSettings;
import io.fanfold.config.Secret;
import io.fanfold.config.WorkersConfig;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.TestServer;
import java.time.Duration;

/** Counts the cores of real servers. How many the machine has is not known here. */
class AutoDegreeIT {
    private static final int CONNECTIONS = 8;
    private static final int NOT_COUNTED = 999;

    private static FanfoldConfig config(TestServer server) {
        BackendConfig backend =
                new BackendConfig(server.host(), server.port(), Duration.ofSeconds(10), Duration.ofSeconds(60));
        WorkersConfig workers =
                WorkersConfig.defaults().with(server.adminUser(), new Secret(server.adminPassword()), CONNECTIONS);
        return FanfoldConfig.defaults().withBackend(backend).withWorkers(workers);
    }

    @AllServers
    void theDegreeIsFound(TestServer server) throws Exception {
        RunningSettings settings = RunningSettings.of(config(server));
        settings.foundDegree(NOT_COUNTED, NOT_COUNTED);
        FanfoldConfig config = settings.get();
        try (WorkerPool pool = new WorkerPool(config.backend(), null, config.workers());
                AutoDegree degree = new AutoDegree(settings, pool)) {
            degree.start();
            await().until(() -> settings.get().fanOut().degree() != NOT_COUNTED);
            assertThat(settings.get().fanOut().degree()).isBetween(AutoDegree.LEAST, CONNECTIONS);
            assertThat(settings.get().fanOut().cores()).isBetween(2, CONNECTIONS);
            assertThat(CoreCount.measure(pool, CONNECTIONS).orElseThrow()).isBetween(1, CONNECTIONS);
        }
    }
}
