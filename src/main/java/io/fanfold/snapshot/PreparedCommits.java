package io.fanfold.snapshot;

import static io.fanfold.snapshot.WorkerReplies.rows;
import static io.fanfold.snapshot.WorkerReplies.value;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Checks commits of prepared transactions on a MariaDB server with a binary log. XA COMMIT first moves the log position
 * and later makes its changes visible. So two snapshots with equal positions may still differ in these changes. XA
 * COMMIT ... ONE PHASE does both in one step, as COMMIT does.
 *
 * <p>The server counts an XA COMMIT before it runs. While the counter is 0, one query after the snapshots shows that
 * there was none. After the first XA COMMIT, each worker reads the end of the log and the prepared transactions, opens
 * its snapshot, and reads the end of the log again.
 *
 * <p>XA RECOVER lists a transaction from the end of XA PREPARE until its changes are visible, and only a listed
 * transaction can be committed. Suppose a worker's list is empty and a transaction becomes visible after its snapshot.
 * Then it was prepared after the list was read, and its XA COMMIT is logged later still. If that is before the
 * snapshot, the end of the log shows it; if after, the positions do. The counter is no proof here: XA COMMIT of another
 * session's transaction may be counted before that transaction is prepared. (All of this was seen with a debugger on
 * 10.11.5, the window also on 10.11.18.)
 *
 * <p>There is one object for each server, because it remembers whether XA was used. Safe for use by multiple threads.
 */
final class PreparedCommits {
    /** Lists the prepared transactions; needs no privilege. */
    static final String LISTED = "XA RECOVER";

    /** Counts XA COMMITs; see {@link #none}. */
    static final String COUNTED = "SHOW GLOBAL STATUS LIKE 'Com_xa_commit'";

    /** A transaction listed in more rounds in a row is not waited for: it may never be committed. */
    private static final int PATIENCE = 50;

    private volatile boolean counted;

    /** The number of rounds in a row that listed each prepared transaction. */
    @GuardedBy("this")
    private Map<String, Integer> seen = Map.of();

    /** Whether an XA COMMIT is known to have run; then each round lists the prepared transactions. */
    boolean counted() {
        return counted;
    }

    /**
     * Whether no XA COMMIT has run. Remembers if one has.
     *
     * @param reply the reply to {@link #COUNTED}, read after the snapshots were opened
     */
    boolean none(Reply reply) {
        boolean none = value(reply, 1).equals("0");
        if (!none) {
            counted = true;
        }
        return none;
    }

    /**
     * Whether equal positions are a proof despite XA, provided that the end of the log did not move around the
     * snapshots.
     *
     * @param lists each worker's reply to {@link #LISTED}, read before its snapshot
     */
    SnapshotRound judge(List<Reply> lists) {
        for (Reply list : lists) {
            if (list instanceof Reply.Failed unread) {
                return SnapshotRound.unprovable("what is prepared by XA cannot be read: " + unread.message());
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

    /** Whether one of these has been listed in too many rounds in a row. */
    private synchronized boolean stays(Set<String> listed) {
        Map<String, Integer> last = seen;
        seen = listed.stream().collect(Collectors.toMap(xid -> xid, xid -> last.getOrDefault(xid, 0) + 1));
        return seen.values().stream().anyMatch(rounds -> rounds > PATIENCE);
    }
}
