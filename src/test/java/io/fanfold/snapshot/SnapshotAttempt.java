package io.fanfold.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.fanfold.catalog.TableName;
import io.fanfold.client.FakeServer;
import io.fanfold.client.ScriptedServer;
import io.fanfold.client.ServerException;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.WireConnection;
import io.fanfold.config.SnapshotConfig;
import io.fanfold.config.SnapshotConfig.Consistency;
import io.fanfold.config.SnapshotConfig.TableLocks;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * An attempt at snapshots with some workers, usually three, of a scripted server. A fourth connection locks tables.
 *
 * @param outcome how it ended
 * @param log the statements that the server received
 */
record SnapshotAttempt(SnapshotOutcome outcome, List<String> log) {
    static final List<TableName> TABLES = List.of(new TableName("db", "t"), new TableName("o`d", "u"));

    /** The lock connections of the worker account lead to another server. */
    static final LockConnections ELSEWHERE = server -> Optional.empty();

    static SnapshotAttempt of(ScriptedServer script, SnapshotConfig config) throws Exception {
        return of(script, config, 3, () -> true);
    }

    static SnapshotAttempt of(ScriptedServer script, SnapshotConfig config, BooleanSupplier wanted) throws Exception {
        return of(script, config, 3, wanted);
    }

    /** An attempt for tables with rows on other servers. */
    static SnapshotAttempt remote(ScriptedServer script, SnapshotConfig config, int number, List<String> reads)
            throws Exception {
        return remote(script, config, number, reads, NOTHING);
    }

    /** An attempt for tables with rows on other servers, in which the statement that locks may be killed. */
    static SnapshotAttempt remote(
            ScriptedServer script, SnapshotConfig config, int number, List<String> reads, Kill kill) throws Exception {
        return of(
                script,
                number,
                (opener, workers, facts) -> opener.openRemote(workers, facts, config, TABLES, reads, () -> true),
                kill);
    }

    /** An attempt for several servers. */
    static SnapshotAttempt ofSeveral(ScriptedServer script, SnapshotConfig config, int number, WhileLocked applied)
            throws Exception {
        return of(
                script, number, (opener, workers, facts) -> opener.openLocked(workers, facts, config, TABLES, applied));
    }

    static SnapshotAttempt of(ScriptedServer script, SnapshotConfig config, int number, BooleanSupplier wanted)
            throws Exception {
        return of(script, number, (opener, workers, facts) -> opener.open(workers, facts, config, TABLES, wanted));
    }

    interface Kill {
        void run() throws IOException;
    }

    private static final Kill NOTHING = () -> {
        throw new AssertionError("nothing to kill");
    };

    private interface Opening {
        SnapshotOutcome open(SnapshotOpener opener, List<WireConnection> workers, ServerFacts facts) throws Exception;
    }

    private static SnapshotAttempt of(ScriptedServer script, int number, Opening opening) throws Exception {
        return of(script, number, opening, NOTHING);
    }

    private static SnapshotAttempt of(ScriptedServer script, int number, Opening opening, Kill kill) throws Exception {
        List<WireConnection> workers = new ArrayList<>();
        try (FakeServer server = new FakeServer(script)) {
            for (int i = 0; i < number; i++) {
                workers.add(server.open());
            }
            ServerFacts facts = ServerFacts.discover(workers.get(0));
            script.log().clear();
            try {
                SnapshotOutcome outcome =
                        opening.open(new SnapshotOpener(asked -> Optional.of(holder(server, kill))), workers, facts);
                return new SnapshotAttempt(outcome, List.copyOf(script.log()));
            } finally {
                assertThat(workers).as("every reply has been read").allMatch(WireConnection::idle);
            }
        } finally {
            workers.forEach(WireConnection::close);
        }
    }

    /** Returns the outcomes of two attempts by the same opener, one right after the other. */
    static List<SnapshotOutcome> twice(ScriptedServer script, SnapshotConfig config) throws Exception {
        try (FakeServer server = new FakeServer(script);
                WireConnection one = server.open();
                WireConnection other = server.open()) {
            ServerFacts facts = ServerFacts.discover(one);
            SnapshotOpener opener = new SnapshotOpener(asked -> Optional.of(holder(server, NOTHING)), () -> 0);
            List<WireConnection> workers = List.of(one, other);
            return List.of(
                    opener.open(workers, facts, config, TABLES, () -> true),
                    opener.open(workers, facts, config, TABLES, () -> true));
        }
    }

    /**
     * Returns how often the same opener tried to lock tables on other servers, for each attempt.
     *
     * @param nanoTime its clock
     * @param before what is done before each attempt
     */
    static List<Integer> remoteRounds(
            ScriptedServer script, List<String> reads, LongSupplier nanoTime, List<Consumer<SnapshotOpener>> before)
            throws Exception {
        SnapshotConfig config = new SnapshotConfig(
                Consistency.STRICT, 1, Duration.ofSeconds(10), TableLocks.ALLOW, Duration.ofSeconds(10));
        try (FakeServer server = new FakeServer(script);
                WireConnection worker = server.open()) {
            ServerFacts facts = ServerFacts.discover(worker);
            SnapshotOpener opener = new SnapshotOpener(asked -> Optional.of(holder(server, NOTHING)), nanoTime);
            List<Integer> rounds = new ArrayList<>();
            for (Consumer<SnapshotOpener> first : before) {
                first.accept(opener);
                rounds.add(opener.openRemote(List.of(worker), facts, config, TABLES, reads, () -> true)
                        .rounds());
            }
            return rounds;
        }
    }

    private static LockConnections.Holder holder(FakeServer server, Kill kill) throws IOException, ServerException {
        WireConnection own = server.open();
        return new LockConnections.Holder() {
            @Override
            public WireConnection connection() {
                return own;
            }

            @Override
            public void killQuery() throws IOException {
                kill.run();
            }

            @Override
            public void close() {
                own.close();
            }
        };
    }
}
