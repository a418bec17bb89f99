package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.config.ReplicaReads.ReadFrom;
import io.fanfold.pool.Lease;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.RefusedException;
import io.fanfold.replica.ReplicaCheck;
import io.fanfold.variables.ResultsCharset;
import io.fanfold.variables.SessionSettings;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a statement requires of a replica that it may read. For the coordinator thread.
 *
 * @param from which servers it may read
 * @param servers the most servers that it reads, 1 or more
 * @param locks whether its tables may be locked on the primary, so that several servers show the same rows
 * @param check whether a replica has what the primary had committed when the statement arrived
 * @param definitions the reply of the primary to each SHOW CREATE TABLE, by its text
 */
record ReplicaRead(ReadFrom from, int servers, boolean locks, ReplicaCheck check, Map<String, Reply> definitions) {
    /** Each server has a counter of its own. */
    private static final Pattern COUNTER = Pattern.compile(" AUTO_INCREMENT=[0-9]+");

    /** How long the statements beside the wait may take together. */
    private static final Duration BESIDE_WAIT = Duration.ofSeconds(1);

    ReplicaRead {
        definitions = Map.copyOf(definitions);
    }

    /**
     * Checks a replica.
     *
     * @param worker a connection to it, outside any transaction
     * @param settings the client's
     * @return why it may not be read, as a clause; empty if it may
     */
    Optional<ReplicaObstacle> obstacle(Lease worker, SessionSettings settings) throws IOException, ServerException {
        Optional<String> difference = check.difference(worker.facts());
        if (difference.isPresent()) {
            return ReplicaObstacle.ofServer(difference.get());
        }
        List<String> own = check.statements();
        List<String> statements = new ArrayList<>(own);
        List<String> tables = List.copyOf(definitions.keySet());
        statements.addAll(tables);
        Lease.send(List.of(worker), settings, ResultsCharset.UTF8MB4);
        List<Reply> replies = inTime(worker.connection(), statements);
        Lease.settle(List.of(worker));
        Optional<String> obstacle = check.obstacle(replies.subList(0, own.size()));
        if (obstacle.isPresent()) {
            return ReplicaObstacle.ofServer(obstacle.get());
        }
        for (int i = 0; i < tables.size(); i++) {
            Optional<String> other = other(tables.get(i), replies.get(own.size() + i));
            if (other.isPresent()) {
                return Optional.of(new ReplicaObstacle(other.get(), false));
            }
        }
        return Optional.empty();
    }

    /**
     * Checks replicas again whose snapshots are open: since the first check, one may have become a server of its own.
     *
     * @param workers one connection to each
     * @throws RefusedException if one is no longer a replica of the primary
     */
    void requireStill(List<Lease> workers) throws RefusedException, IOException {
        for (Lease worker : workers) {
            RefusedException.throwIf(check.stateObstacle(inTime(worker.connection(), check.state()))
                    .map(why -> new Refusal(Reason.OTHER_SERVER, why)));
        }
    }

    /** A lock on the replica may stop any of these statements, and the primary could answer meanwhile. */
    private List<Reply> inTime(WireConnection connection, List<String> statements) throws IOException {
        Duration before = connection.readTimeout();
        connection.readTimeout(check.patience().plus(BESIDE_WAIT));
        List<Reply> replies = connection.pipeline(statements);
        connection.readTimeout(before);
        return replies;
    }

    /** Why a table's definition is not the primary's; empty if it is. */
    Optional<String> other(String statement, Reply reply) {
        Optional<String> here = TableProof.definition(reply);
        Optional<String> there = Optional.ofNullable(definitions.get(statement)).flatMap(TableProof::definition);
        return here.isPresent() && here.map(ReplicaRead::withoutCounter).equals(there.map(ReplicaRead::withoutCounter))
                ? Optional.empty()
                : Optional.of("the definition of the table differs from that on the primary, or cannot be compared ("
                        + statement + ")");
    }

    private static String withoutCounter(String definition) {
        return COUNTER.matcher(definition).replaceFirst("");
    }
}
