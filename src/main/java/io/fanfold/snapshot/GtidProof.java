package io.fanfold.snapshot;

import static io.fanfold.snapshot.WorkerReplies.value;

import io.fanfold.client.ServerException;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The proof for a MySQL server with gtid_mode=ON. Each worker reads gtid_executed, opens its snapshot, then reads
 * gtid_owned, and then gtid_executed again.
 *
 * <p>A transaction's GTID is in gtid_owned before its changes become visible. Afterwards it moves to gtid_executed in
 * one step. So if all gtid_executed values are equal and gtid_owned is always empty, no commit is visible in only some
 * of the snapshots.
 *
 * <p>DDL has a GTID too, which is in one of the two sets before its metadata lock is released. So no DDL ran between a
 * snapshot and worker 0's touch.
 *
 * @param touches see {@link SnapshotScript}
 */
record GtidProof(List<String> touches) implements SnapshotProof {
    private static final String EXECUTED = "SELECT @@global.gtid_mode, @@global.gtid_executed";
    private static final String OWNED = "SELECT @@global.gtid_owned";

    @Override
    public SnapshotRound round(SnapshotGroup group, long deadline) throws IOException, ServerException {
        List<SnapshotScript.Opened> all =
                new SnapshotScript(List.of(EXECUTED), touches, List.of(OWNED, EXECUTED)).run(group);
        Set<String> executed = new HashSet<>();
        for (SnapshotScript.Opened opened : all) {
            Optional<SnapshotRound> unread = opened.unread("GTIDs");
            if (unread.isPresent()) {
                return unread.get();
            }
            if (opened.warned()) {
                return SnapshotRound.NO_SNAPSHOT;
            }
            // gtid_mode can change while the server runs, so every round reads it
            for (Reply reply : List.of(opened.before().get(0), opened.after().get(1))) {
                if (!"ON".equals(value(reply, 0))) {
                    return SnapshotRound.unprovable("gtid_mode is not ON");
                }
                executed.add(value(reply, 1));
            }
            if (!value(opened.after().get(0), 0).isEmpty()) {
                return SnapshotRound.unequal("a transaction was being committed");
            }
        }
        return executed.size() == 1
                ? SnapshotRound.verifiedAt(executed.iterator().next())
                : SnapshotRound.unequal("transactions were committed in between");
    }
}
