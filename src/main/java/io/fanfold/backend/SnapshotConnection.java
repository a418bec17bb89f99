package io.fanfold.backend;

import io.fanfold.catalog.TableName;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A connection whose next transaction reads one of the snapshots of a fan-out: a worker's, or the client's own inside a transaction.
 * For one thread.
 */
public interface SnapshotConnection {
    /** A statement that reads nothing and takes a table's metadata lock. */
    static String touch(TableName table) {
        return "SELECT 1 FROM " + table.quoted() + " LIMIT 0";
    }

    /** Sends statements without waiting for the replies. Each reply has to be read by {@link #receive}, in the same order. */
    void sendTexts(List<String> sqls) throws IOException;

    /** Waits for the reply to the oldest statement sent that has none. */
    Reply receive() throws IOException;

    /**
     * Waits for the reply to the oldest statement sent that has none.
     *
     * @param patience how long, more than 0
     * @return whether it has begun to come
     */
    boolean answers(Duration patience) throws IOException;

    /** Whether a transaction is open that has to be rolled back before the next attempt. */
    boolean inTransaction();

    /** The statements that open its snapshot; only the last one may raise a warning, and then there is no snapshot. */
    default List<String> opening() {
        return List.of(SnapshotOpener.ISOLATION, SnapshotOpener.START);
    }

    /** Whether it takes the tables' metadata locks right after its snapshot; worker 0 does so anyway. */
    default boolean touches() {
        return false;
    }

    /** Waits for the replies to the {@code count} oldest statements that have none, in order. */
    default List<Reply> receive(int count) throws IOException {
        List<Reply> replies = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            replies.add(receive());
        }
        return replies;
    }
}
