package io.fanfold.inspect;

import io.fanfold.binlog.StreamRequirements;
import io.fanfold.client.ServerException;
import io.fanfold.client.ServerFacts;
import io.fanfold.client.WireConnection;
import io.fanfold.client.WireSettings;
import io.fanfold.config.FanfoldConfig;
import io.fanfold.config.ReplicaConfig;
import io.fanfold.replica.PrimaryPosition;
import io.fanfold.replica.ReplicaCheck;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which replicas can be read now.
 *
 * @param login how a worker connection to the primary is opened
 */
record ReplicaFindings(FanfoldConfig config, WireSettings login) {
    /** Less than the time that the server may be silent. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    /** @param primary a worker connection */
    List<Finding> of(WireConnection primary, ServerFacts facts) throws IOException, ServerException {
        List<ReplicaConfig> replicas = config.workers().servers();
        if (!config.readsReplicas()) {
            return List.of(Finding.advice(
                    "workers.servers has no effect, because no account and no table may read replicas",
                    "workers.read-from: replica"));
        }
        try {
            new StreamRequirements(primary).checkComplete();
        } catch (IOException e) {
            return List.of(Finding.advice("no replica is read, because on the primary " + e.getMessage()));
        }
        PrimaryPosition position = PrimaryPosition.of(
                primary.query(PrimaryPosition.query(facts.flavor())).rows().get(0));
        ReplicaCheck check = new ReplicaCheck(facts, position, PATIENCE);
        List<Finding> findings = new ArrayList<>();
        for (ReplicaConfig replica : replicas) {
            Optional<String> obstacle = obstacle(replica, check);
            findings.add(
                    obstacle.isEmpty()
                            ? Finding.info("replica " + replica.name() + " can be read")
                            : Finding.advice("replica " + replica.name() + " is not read: " + obstacle.get()));
        }
        return findings;
    }

    private Optional<String> obstacle(ReplicaConfig replica, ReplicaCheck check) {
        try (WireConnection connection = WireConnection.open(login.to(replica.address()))) {
            Optional<String> difference = check.difference(ServerFacts.discover(connection));
            return difference.isPresent() ? difference : check.obstacle(connection.pipeline(check.statements()));
        } catch (ServerException e) {
            return Optional.of(e.errno() + ": " + e.getMessage());
        } catch (IOException e) {
            return Optional.of(e.toString());
        }
    }
}
