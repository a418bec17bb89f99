package io.fanfold.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fanfold.client.RealServer;
import io.fanfold.client.ServerException;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.WireConnection;
import io.fanfold.config.Secret;
import io.fanfold.config.WorkersConfig;
import io.fanfold.it.support.server.AllServers;
import io.fanfold.it.support.server.ServerName;
import io.fanfold.it.support.server.TestServer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.awaitility.Awaitility;

class WorkerPoolIT {
    @AllServers
    void readsTheFactsOfTheServer(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        try (WorkerPool pool = new WorkerPool(real.backend(), null, real.workers(2))) {
            PoolAwait.acquire(pool, 1).forEach(Lease::close);
            ServerFacts facts = pool.facts().orElseThrow();
            assertThat(facts.flavor().isMariaDb()).isEqualTo(server.name() != ServerName.MYSQL);
            assertThat(facts.logBin()).isTrue();
            assertThat(facts.galera()).isFalse();
            assertThat(facts.lowerCaseTableNames()).isZero();
        }
    }

    @AllServers
    void replacesConnectionsThatDiedIdle(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        try (WireConnection admin = real.admin();
                WorkerPool pool = new WorkerPool(real.backend(), null, real.workers(4))) {
            List<Lease> first = PoolAwait.acquire(pool, 4);
            Set<Long> ids = new HashSet<>();
            first.forEach(lease -> ids.add(lease.connection().threadId()));
            first.forEach(Lease::close);
            for (long id : ids) {
                admin.execute("KILL " + id);
            }
            for (int i = 0; i < 5; i++) {
                List<Lease> next = PoolAwait.acquire(pool, 4);
                for (Lease lease : next) {
                    assertThat(ids).doesNotContain(lease.connection().threadId());
                    assertThat(RealServer.value(lease.connection(), "SELECT 1")).isEqualTo("1");
                }
                next.forEach(Lease::close);
            }
        }
    }

    @AllServers
    void aWrongPasswordCostsNoWaiting(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        WorkersConfig wrong = WorkersConfig.defaults().with(RealServer.WORKER, new Secret("wrong"), 4);
        try (WorkerPool pool = new WorkerPool(real.backend(), null, wrong)) {
            Awaitility.await().until(() -> pool.failure().isPresent());
            assertThat(pool.failure().orElseThrow().text()).contains("Access denied");
            assertThat(pool.acquire(2, 2, Duration.ofHours(1))).isEmpty();
            assertThat(pool.free()).isEqualTo(4);
        }
    }

    @AllServers
    void theWorkerAccountsRightsHold(TestServer server) throws Exception {
        RealServer real = new RealServer(server);
        real.prepare();
        try (WorkerPool pool = new WorkerPool(real.backend(), null, real.workers(2))) {
            List<Lease> leases = PoolAwait.acquire(pool, 1);
            assertThatThrownBy(() ->
                            leases.get(0).connection().execute("CREATE TABLE " + RealServer.SCHEMA + ".x (i INT)"))
                    .isInstanceOfSatisfying(
                            ServerException.class, e -> assertThat(e.errno()).isEqualTo(1142));
            leases.forEach(Lease::close);
        }
    }
}
