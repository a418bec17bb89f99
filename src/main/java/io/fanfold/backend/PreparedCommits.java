package io.fanfold.backend;

import java.io.IOException;

/**
 * Commits of prepared transactions on MariaDB. They stand in the binary log before they are visible in tables, and where
 * the session that prepared them has gone no metadata lock is left of them (both seen on 10.11): so neither the log nor LOCK
 * TABLES tells anything of snapshots beside one. XA COMMIT is counted before it runs; nothing tells whether one still
 * runs. Without state.
 */
final class PreparedCommits {
    private static final String COUNTED = "SHOW GLOBAL STATUS LIKE 'Com_xa_commit'";

    private PreparedCommits() {}

    /** Whether there has been none since the server was started; asked for after the snapshots were opened. */
    static boolean none(WireConnection worker) throws IOException, ServerException {
        return WorkerReplies.value(worker.query(COUNTED), 1).equals("0");
    }
}
