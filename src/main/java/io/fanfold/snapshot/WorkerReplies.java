package io.fanfold.snapshot;

import io.fanfold.client.ServerException;
import io.fanfold.client.SnapshotConnection;
import io.fanfold.row.Row;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Runs statements on several workers at once and reads their replies. Stateless. */
public final class WorkerReplies {
    private WorkerReplies() {}

    /** Sends all statements to all workers, then reads all replies: one list for each worker, in order. */
    public static List<List<Reply>> everywhere(List<? extends SnapshotConnection> workers, List<String> statements)
            throws IOException {
        for (SnapshotConnection worker : workers) {
            worker.sendTexts(statements);
        }
        List<List<Reply>> all = new ArrayList<>();
        for (SnapshotConnection worker : workers) {
            all.add(worker.receive(statements.size()));
        }
        return all;
    }

    /** Throws the first error, if any. */
    public static void succeeded(List<List<Reply>> all) throws ServerException {
        for (List<Reply> replies : all) {
            for (Reply reply : replies) {
                if (reply instanceof Reply.Failed failed) {
                    throw new ServerException(failed);
                }
            }
        }
    }

    /** Throws the error of a statement that was interrupted, if any: it says nothing about the server. */
    static void notInterrupted(List<Reply> replies) throws ServerException {
        for (Reply reply : replies) {
            if (reply instanceof Reply.Failed failed && new ServerException(failed).interrupted()) {
                throw new ServerException(failed);
            }
        }
    }

    static boolean warned(Reply reply) {
        return reply instanceof Reply.Completed ok && ok.warnings() > 0;
    }

    static List<Row> rows(Reply reply) {
        return reply instanceof Reply.Result result ? result.rows() : List.of();
    }

    /** Returns a value of the first row; "" if there is none or it is NULL. */
    public static String value(Reply reply, int column) {
        List<Row> rows = rows(reply);
        String value = rows.isEmpty() || rows.get(0).columns() <= column
                ? null
                : rows.get(0).ascii(column);
        return value == null ? "" : value;
    }
}
