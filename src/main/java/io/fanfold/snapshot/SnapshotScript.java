package io.fanfold.snapshot;

import io.fanfold.client.ServerException;
import io.fanfold.client.SnapshotConnection;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The statements that open the snapshots of several connections. Each connection gets its own in one write:
 * {@code before}, the start of the transaction, and {@code after}. Before {@code after}, worker 0 and the client's own
 * connection also touch the tables.
 *
 * <p>The touch takes the tables' metadata locks, which worker 0 keeps until its transaction ends. If DDL changes a
 * table between a snapshot and the touch, the snapshot may show rows that the table never held. MySQL 9.7 and MariaDB
 * 10.11 read an exchanged-in partition as of the snapshot and raise no error. A SELECT on one connection cannot see
 * this, since it takes the metadata lock first. So a proof must rule out DDL between the first snapshot and the touch.
 * Test: {@code ExchangedPartitionIT}.
 *
 * @param before the queries of each connection before its snapshot
 * @param touches a query without rows for each table, see {@link SnapshotConnection#touch}
 * @param after the queries of each connection after its snapshot and touches
 */
record SnapshotScript(List<String> before, List<String> touches, List<String> after) {
    /** The replies of one connection to {@code before} and {@code after}, and whether the start raised a warning. */
    record Opened(List<Reply> before, boolean warned, List<Reply> after) {
        /**
         * Says that nothing is proven if one of the queries has failed: its rows must not be taken for none.
         *
         * @param what the queries read
         */
        Optional<SnapshotRound> unread(String what) {
            return Stream.of(before, after)
                    .flatMap(List::stream)
                    .filter(Reply.Failed.class::isInstance)
                    .map(Reply.Failed.class::cast)
                    .findFirst()
                    .map(failed -> SnapshotRound.unprovable(what + " cannot be read: " + failed.message()));
        }
    }

    /** Called before each reply is awaited. */
    interface Waiting {
        void before(SnapshotConnection connection) throws IOException, ServerException;
    }

    /**
     * Runs the script and the group's queries on all connections at once. Every reply has been read when it returns or
     * throws {@link ServerException}.
     *
     * @return one entry for each connection, in order; a query in it may have failed, unless it was interrupted
     * @throws ServerException if a connection may not open a snapshot or touch a table, or a statement was interrupted
     */
    List<Opened> run(SnapshotGroup group) throws IOException, ServerException {
        List<SnapshotConnection> connections = group.all();
        send(connections);
        group.queries().send();
        List<List<Reply>> replies = replies(connections, connection -> {});
        group.queries().receive();
        return opened(connections, replies);
    }

    /** Sends the statements; {@link #receive} reads the replies. */
    void send(List<? extends SnapshotConnection> connections) throws IOException {
        for (int i = 0; i < connections.size(); i++) {
            connections.get(i).sendTexts(statements(connections.get(i), i));
        }
    }

    /** Reads the replies, see {@link #run}. */
    List<Opened> receive(List<? extends SnapshotConnection> connections, Waiting waiting)
            throws IOException, ServerException {
        return opened(connections, replies(connections, waiting));
    }

    private List<List<Reply>> replies(List<? extends SnapshotConnection> connections, Waiting waiting)
            throws IOException, ServerException {
        List<List<Reply>> all = new ArrayList<>();
        for (int i = 0; i < connections.size(); i++) {
            List<Reply> replies = new ArrayList<>();
            for (int k = statements(connections.get(i), i).size(); k > 0; k--) {
                waiting.before(connections.get(i));
                replies.add(connections.get(i).receive());
            }
            all.add(replies);
        }
        return all;
    }

    private List<Opened> opened(List<? extends SnapshotConnection> connections, List<List<Reply>> all)
            throws ServerException {
        List<Opened> opened = new ArrayList<>();
        for (int i = 0; i < connections.size(); i++) {
            List<Reply> replies = all.get(i);
            WorkerReplies.notInterrupted(replies);
            int started = before.size();
            int open = started + connections.get(i).opening().size();
            int rest = replies.size() - after.size();
            WorkerReplies.succeeded(List.of(replies.subList(started, rest)));
            opened.add(new Opened(
                    replies.subList(0, started),
                    WorkerReplies.warned(replies.get(open - 1)),
                    replies.subList(rest, replies.size())));
        }
        return opened;
    }

    private List<String> statements(SnapshotConnection connection, int number) {
        boolean touching = number == 0 || connection.touches();
        return Stream.of(before, connection.opening(), touching ? touches : List.<String>of(), after)
                .flatMap(List::stream)
                .toList();
    }
}
