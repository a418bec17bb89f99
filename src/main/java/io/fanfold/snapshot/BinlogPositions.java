package io.fanfold.snapshot;

import io.fanfold.client.ServerException;
import io.fanfold.client.SnapshotConnection;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The binary log position of a snapshot on MariaDB: binlog_snapshot_file and binlog_snapshot_position. The server
 * prepares both in variables that all sessions share. So one worker at a time reads them, under a lock, and twice,
 * since other programs may read them too.
 *
 * @param lock held while positions are read; the same one for all proofs of a server
 */
record BinlogPositions(ReentrantLock lock) {
    private static final String POSITION = "SHOW STATUS LIKE 'binlog_snapshot_%'";

    /** Compares the positions of the connections' open snapshots. */
    SnapshotRound compare(List<SnapshotConnection> connections, long deadline)
            throws IOException, ServerException, InterruptedException {
        return compare(connections, List.of(), new ArrayList<>(), deadline);
    }

    /**
     * Compares the positions of the connections' open snapshots. The first connection also runs further queries, in the
     * same round trip.
     *
     * @param replies receives the replies to {@code further}
     */
    SnapshotRound compare(
            List<SnapshotConnection> connections, List<String> further, List<Reply> replies, long deadline)
            throws IOException, ServerException, InterruptedException {
        Set<String> positions = new HashSet<>();
        if (!lock.tryLock(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
            return SnapshotRound.unequal("other queries were reading binlog positions");
        }
        try {
            for (int i = 0; i < connections.size(); i++) {
                List<String> queries = new ArrayList<>(List.of(POSITION, POSITION));
                if (i == 0) {
                    queries.addAll(further);
                }
                List<List<Reply>> all = WorkerReplies.everywhere(List.of(connections.get(i)), queries);
                WorkerReplies.succeeded(all);
                for (Reply reply : all.get(0).subList(0, 2)) {
                    positions.add(position(WorkerReplies.rows(reply)));
                }
                replies.addAll(all.get(0).subList(2, queries.size()));
                if (positions.size() > 1) {
                    return SnapshotRound.unequal("transactions were committed in between");
                }
            }
        } finally {
            lock.unlock();
        }
        String position = positions.iterator().next();
        return position.startsWith(":")
                ? SnapshotRound.unprovable("the server names no binlog position of a snapshot")
                : SnapshotRound.verifiedAt(position);
    }

    private static String position(List<Row> variables) {
        Map<String, String> values = new HashMap<>();
        for (Row variable : variables) {
            values.put(
                    String.valueOf(variable.ascii(0)).toLowerCase(Locale.ROOT),
                    Objects.requireNonNullElse(variable.ascii(1), ""));
        }
        return values.getOrDefault("binlog_snapshot_file", "") + ":"
                + values.getOrDefault("binlog_snapshot_position", "");
    }
}
