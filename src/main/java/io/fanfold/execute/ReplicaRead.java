package io.fanfold.execute;

import io.fanfold.client.ServerException;
import io.fanfold.config.ReplicaReads.ReadFrom;
import io.fanfold.pool.Lease;
import io.fanfold.replica.ReplicaCheck;
import io.fanfold.variables.ResultsCharset;
import io.fanfold.variables.SessionSettings;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a statement requires of a replica that it may read. For the coordinator thread.
 *
 * @param from which servers it may read
 * @param check whether a replica has what the primary had committed when the statement arrived
 * @param definitions the reply of the primary to each SHOW CREATE TABLE, by its text
 */
record ReplicaRead(ReadFrom from, ReplicaCheck check, Map<String, Reply> definitions) {
    /** Each server has a counter of its own. */
    private static final Pattern COUNTER = Pattern.compile(" AUTO_INCREMENT=[0-9]+");

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
    Optional<String> obstacle(Lease worker, SessionSettings settings) throws IOException, ServerException {
        Optional<String> difference = check.difference(worker.facts());
        if (difference.isPresent()) {
            return difference;
        }
        List<String> own = check.statements();
        List<String> statements = new ArrayList<>(own);
        List<String> tables = List.copyOf(definitions.keySet());
        statements.addAll(tables);
        Lease.send(List.of(worker), settings, ResultsCharset.UTF8MB4);
        List<Reply> replies = worker.connection().pipeline(statements);
        Lease.settle(List.of(worker));
        Optional<String> obstacle = check.obstacle(replies.subList(0, own.size()));
        for (int i = 0; i < tables.size() && obstacle.isEmpty(); i++) {
            obstacle = other(tables.get(i), replies.get(own.size() + i));
        }
        return obstacle;
    }

    /** Why a table's definition is not the primary's; empty if it is. */
    Optional<String> other(String statement, Reply reply) {
        Optional<String> here = TableProof.definition(reply);
        Optional<String> there = Optional.ofNullable(definitions.get(statement)).flatMap(TableProof::definition);
        return here.isPresent() && here.map(ReplicaRead::withoutCounter).equals(there.map(ReplicaRead::withoutCounter))
                ? Optional.empty()
                : Optional.of("its table differs from the primary's (" + statement + ")");
    }

    private static String withoutCounter(String definition) {
        return COUNTER.matcher(definition).replaceFirst("");
    }
}
