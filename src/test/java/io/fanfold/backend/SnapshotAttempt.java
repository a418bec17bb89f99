package io.fanfold.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.TableName;
import io.fanfold.config.SnapshotConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * An attempt at snapshots over three workers of a scripted server, none of whose connections is free to lock tables.
 *
 * @param outcome how it ended
 * @param log what the server was sent for it
 */
record SnapshotAttempt(SnapshotOutcome outcome, List<String> log) {
    static final List<TableName> TABLES = List.of(new TableName("db", "t"), new TableName("o`d", "u"));

    static final TableLockProof.Connections NONE_FREE = new TableLockProof.Connections() {
        @Override
        public Optional<Lease> free(ServerFacts server) {
            return Optional.empty();
        }

        @Override
        public void killQuery(Lease lease) {
            throw new AssertionError("nothing to kill");
        }
    };

    static SnapshotAttempt of(ScriptedServer script, SnapshotConfig config) throws Exception {
        return of(script, config, () -> true);
    }

    static SnapshotAttempt of(ScriptedServer script, SnapshotConfig config, BooleanSupplier wanted) throws Exception {
        List<WireConnection> workers = new ArrayList<>();
        try (FakeServer server = new FakeServer(script)) {
            for (int i = 0; i < 3; i++) {
                workers.add(server.open());
            }
            ServerFacts facts = ServerFacts.discover(workers.get(0));
            script.log().clear();
            SnapshotOutcome outcome = new SnapshotOpener(NONE_FREE).open(workers, facts, config, TABLES, wanted);
            assertThat(workers).allMatch(WireConnection::idle);
            return new SnapshotAttempt(outcome, List.copyOf(script.log()));
        } finally {
            workers.forEach(WireConnection::close);
        }
    }
}
