package io.fanfold.client;

import io.fanfold.catalog.TableName;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A connection whose next transaction reads one of the snapshots of a fan-out: a worker, or the client's own connection
 * inside a transaction. For use by one thread.
 */
public interface SnapshotConnection {
    /** Sets the level of the next transaction only. At lower levels each statement reads a snapshot of its own. */
    String ISOLATION = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";

    /** Returns a statement that reads no row and takes a table's metadata lock. */
    static String touch(TableName table) {
        return "SELECT 1 FROM " + table.quoted() + " LIMIT 0";
    }

    /**
     * Sends statements without waiting for the replies. Each reply must be read by {@link #receive}, in the same order.
     */
    void sendTexts(List<String> sqls) throws IOException;

    /** Waits for the reply to the oldest unanswered statement. */
    Reply receive() throws IOException;

    /**
     * Waits until the reply to the oldest unanswered statement begins.
     *
     * @param patience how long, more than 0
     * @return whether a first byte has arrived
     */
    boolean answers(Duration patience) throws IOException;

    /** Whether a transaction is open that must be rolled back before the next attempt. */
    boolean inTransaction();

    /**
     * Returns the statements that open the snapshot. Only the last one may raise a warning, and then there is no
     * snapshot.
     */
    default List<String> opening() {
        return List.of(ISOLATION, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
    }

    /** Whether the connection takes the tables' metadata locks right after its snapshot. Worker 0 always does. */
    default boolean touches() {
        return false;
    }

    /** Waits for the replies to the {@code count} oldest unanswered statements, in order. */
    default List<Reply> receive(int count) throws IOException {
        List<Reply> replies = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            replies.add(receive());
        }
        return replies;
    }
}
