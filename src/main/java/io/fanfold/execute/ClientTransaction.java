package io.fanfold.execute;

import io.fanfold.catalog.TableName;
import io.fanfold.client.ServerException;
import io.fanfold.client.SnapshotConnection;
import io.fanfold.execute.ClientConnection.Command;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The client's own connection inside a transaction. It takes the metadata locks that the SELECT itself would have
 * taken. For the first statement under REPEATABLE READ it also opens the read view, which must equal the workers'
 * snapshot. Each START TRANSACTION ends the transaction of the previous attempt, which has done nothing.
 *
 * <p>It waits for a table at most one second. DDL that waits for worker 0 blocks it, so a longer wait could be a
 * deadlock.
 */
final class ClientTransaction implements SnapshotConnection {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    /** Statements that were sent together, and the number of their replies already read. */
    private record Sent(CompletableFuture<List<Reply>> replies, int count, int read) {}

    private final QueryExecution query;
    private final ClientConnection client;
    private final Charset charset;
    private final Optional<FreshTransaction> readView;
    private int begins;
    private final Deque<Sent> awaited = new ArrayDeque<>();

    /**
     * @param charset the session's character set
     * @param readView the transaction that must open the read view that it keeps; empty if it has one already, or keeps
     *     none
     */
    ClientTransaction(
            QueryExecution query, ClientConnection client, Charset charset, Optional<FreshTransaction> readView) {
        this.query = query;
        this.client = client;
        this.charset = charset;
        this.readView = readView;
    }

    /**
     * Takes the tables' metadata locks, unless a read view must be opened.
     *
     * @return this connection if its read view must be one of the proven snapshots; else empty
     */
    Optional<SnapshotConnection> begin(Collection<TableName> tables) throws IOException, ServerException {
        if (readView.isPresent()) {
            return Optional.of(this);
        }
        sendTexts(tables.stream().map(SnapshotConnection::touch).toList());
        for (Reply reply : receive(tables.size())) {
            if (reply instanceof Reply.Failed failed) {
                throw new ServerException(failed);
            }
        }
        return Optional.empty();
    }

    @Override
    public List<String> opening() {
        return List.of(readView.orElseThrow().withReadView());
    }

    @Override
    public boolean touches() {
        return true;
    }

    @Override
    public boolean inTransaction() {
        return false;
    }

    @Override
    public void sendTexts(List<String> sqls) {
        List<Command> commands =
                sqls.stream().map(sql -> command(sql, sql.getBytes(charset))).toList();
        awaited.add(new Sent(client.ask(commands), commands.size(), 0));
    }

    private Command command(String sql, byte[] bytes) {
        if (readView.isEmpty() || !sql.equals(readView.get().withReadView())) {
            return new Command.ClientQuery(bytes);
        }
        begins++;
        return new Command.Transaction(bytes);
    }

    /** The number of transactions that it has begun. */
    int begins() {
        return begins;
    }

    @Override
    public boolean answers(Duration patience) throws IOException {
        try {
            awaited.element().replies().get(patience.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IOException("the client's connection failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public Reply receive() throws IOException {
        if (!answers(LONGEST_WAIT)) {
            throw new IOException("the client's connection waits for a table");
        }
        Sent sent = awaited.remove();
        if (sent.read() + 1 < sent.count()) {
            awaited.addFirst(new Sent(sent.replies(), sent.count(), sent.read() + 1));
        }
        Reply reply = sent.replies().join().get(sent.read());
        if (reply instanceof Reply.TooLarge) {
            throw new IOException("the client's connection gave no small result");
        }
        if (reply instanceof Reply.Failed failed && Interruption.isKill(failed.errno())) {
            // the KILL was meant for the client's statement
            query.cancel(QueryExecution.Cancel.KILLED);
        }
        return reply;
    }
}
