package io.fanfold.backend;

import static io.fanfold.backend.WorkerReplies.rows;
import static io.fanfold.backend.WorkerReplies.value;

import io.fanfold.row.Row;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Commits of prepared transactions on a MariaDB server with a binary log. XA COMMIT moves the position in the log first and
 * makes its changes visible later, so equal positions do not rule out that one of two snapshots has them and one has not.
 * XA COMMIT ... ONE PHASE does both in one step, as COMMIT does.
 *
 * <p>Until a server has counted an XA COMMIT (it counts before it runs) there was none, and one question after the snapshots tells.
 * From then on each worker asks for the end of the log, then for what is prepared, opens its snapshot and asks for the end of
 * the log again. XA RECOVER lists a transaction from the end of XA PREPARE until its changes are visible, and only a listed one
 * can be committed. So where a worker's list is empty, a transaction that becomes visible after its snapshot was prepared after the
 * list: then its XA COMMIT is written to the log later still, before the snapshot, which the end of the log shows, or after it,
 * which the positions show. The counter does not tell: XA COMMIT of another session's transaction may be counted before
 * that is prepared. (All of it seen with a debugger on 10.11.5, the window also on 10.11.18.)
 *
 * <p>One object for each server, since it remembers whether there has been XA. Safe for all threads.
 */
final class PreparedCommits {
    /** What is prepared; it needs no right. */
    static final String LISTED = "XA RECOVER";

    private static final String COUNTED = "SHOW GLOBAL STATUS LIKE 'Com_xa_commit'";

    /** What is prepared for longer is not waited for: nothing tells when, or whether, it will be committed. */
    private static final int PATIENCE = 50;

    private volatile boolean counted;

    /** How many rounds in a row have seen a transaction prepared, guarded by this. */
    private Map<String, Integer> seen = Map.of();

    /** Whether there is known to have been XA COMMIT; then each round lists what is prepared. */
    boolean counted() {
        return counted;
    }

    /** Whether there has been none, asked for after snapshots were opened; where there has been, that is kept in mind. */
    boolean none(WireConnection worker) throws IOException, ServerException {
        boolean none = value(worker.query(COUNTED), 1).equals("0");
        if (!none) {
            counted = true;
        }
        return none;
    }

    /**
     * Whether XA leaves equal positions a proof, provided that the end of the log did not move around the snapshots.
     *
     * @param lists what each worker was answered to {@link #LISTED} before its snapshot
     */
    SnapshotRound judge(List<Reply> lists) {
        for (Reply list : lists) {
            if (list instanceof Reply.Failed unread) {
                return SnapshotRound.unprovable("what is prepared by XA cannot be read: "
                        + unread.exception().getMessage());
            }
        }
        Set<String> listed = lists.stream()
                .flatMap(list -> rows(list).stream())
                .map(Row::toString)
                .collect(Collectors.toSet());
        if (stays(listed)) {
            return SnapshotRound.unprovable("a transaction stays prepared by XA");
        }
        return listed.isEmpty() ? SnapshotRound.VERIFIED : SnapshotRound.unequal("a transaction was prepared by XA");
    }

    /** Whether one of these has been listed for so many rounds that it is not waited for. */
    private synchronized boolean stays(Set<String> listed) {
        Map<String, Integer> last = seen;
        seen = listed.stream().collect(Collectors.toMap(xid -> xid, xid -> last.getOrDefault(xid, 0) + 1));
        return seen.values().stream().anyMatch(rounds -> rounds > PATIENCE);
    }
}
