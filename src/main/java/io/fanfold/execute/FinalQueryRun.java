package io.fanfold.execute;

import io.fanfold.client.NoRoomException;
import io.fanfold.client.RowStream;
import io.fanfold.client.ServerException;
import io.fanfold.discovery.ServerProbes;
import io.fanfold.execute.ClientConnection.Command;
import io.fanfold.operator.BudgetExceededException;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.operator.MergedRows;
import io.fanfold.plan.FanOutPlan.Completion;
import io.fanfold.plan.StatementPlan;
import io.fanfold.pool.Lease;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Row;
import io.fanfold.variables.ResultsCharset;
import io.fanfold.variables.SessionSettings;
import io.fanfold.wire.Reply;
import java.io.IOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Turns merged rows into the payloads of the answer's rows. */
final class FinalQueryRun {
    private FinalQueryRun() {}

    /**
     * The limits of a final query.
     *
     * @param rows the maximum number of rows
     * @param bytes a portion larger than this gets no further row
     * @param escapes whether texts may need escapes in JSON, see {@link ServerProbes#readsEscapes}
     * @param room reserves the heap of its text and its answer, until the caller closes it
     */
    record FinalQueryLimits(int rows, long bytes, boolean escapes, MemoryBudget room) {}

    /**
     * Returns the answer's rows, computed by a final query if the plan needs one.
     *
     * @param rows the merged rows of each block; read while the result is iterated, so close them after that
     * @param columns the number of columns of the answer
     * @param charset the session's character set
     * @return payloads of text rows, to be iterated once
     */
    static Iterable<byte[]> finish(
            StatementPlan plan,
            List<MergedRows> rows,
            int columns,
            Charset charset,
            ClientConnection client,
            FinalQueryLimits bounds)
            throws RefusedException, InterruptedException {
        MergedRows first = rows.get(0);
        if (plan.portioned().isPresent()) {
            return new PortionedFinalQuery(plan, first, columns, charset, client, bounds).run();
        }
        if (plan.hasFinalQuery()) {
            Command query = new Command.ClientQuery(statement(plan, rows, charset, bounds), bounds.room());
            return payloads(onServer(query, columns, client));
        }
        if (plan.blocks().get(0).completion() instanceof Completion.Direct direct) {
            int[] shown = direct.columns().stream().mapToInt(Integer::intValue).toArray();
            return () -> new Payloads(() -> first.next(shown));
        }
        return () -> new Payloads(() -> {
            Row row = first.next();
            return row == null ? null : row.payload();
        });
    }

    /**
     * Runs a final query that reads tables, in worker 0's snapshot.
     *
     * @param first worker 0
     * @param settings the client session's settings
     * @param sql its text, in UTF-8
     * @param columns the number of columns of the answer
     * @param budget counts the rows until the caller closes it
     * @return payloads of text rows in the client's results character set
     */
    static List<byte[]> onWorker(Lease first, SessionSettings settings, byte[] sql, int columns, MemoryBudget budget)
            throws RefusedException {
        try {
            Lease.apply(List.of(first), settings, ResultsCharset.AS_CLIENT);
            List<byte[]> payloads = new ArrayList<>();
            try (RowStream rows = first.connection().stream(sql, budget)) {
                if (rows.columns().size() != columns) {
                    throw new RefusedException(Reason.FINAL_QUERY_FAILED, "no result set of " + columns + " columns");
                }
                for (Row row = rows.next(); row != null; row = rows.next()) {
                    budget.reserve(row.heapBytes());
                    payloads.add(row.payload());
                }
                if (rows.warnings() > 0) {
                    throw new RefusedException(Reason.WARNINGS, "the final query raised " + rows.warnings());
                }
            }
            return payloads;
        } catch (ServerException e) {
            throw new RefusedException(Reason.FINAL_QUERY_FAILED, e.errno() + ": " + e.getMessage());
        } catch (NoRoomException e) {
            throw new RefusedException(Reason.MEMORY, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new RefusedException(Reason.FINAL_QUERY_FAILED, e.toString());
        } catch (BudgetExceededException e) {
            throw new RefusedException(Reason.MEMORY, String.valueOf(e.getMessage()));
        }
    }

    /** The text of a final query over merged rows, in a character set that extends ASCII. */
    static byte[] statement(StatementPlan plan, List<MergedRows> rows, Charset charset, FinalQueryLimits bounds)
            throws RefusedException {
        long total = rows.stream().mapToLong(MergedRows::rows).sum();
        if (total > bounds.rows()) {
            throw new RefusedException(Reason.FINAL_QUERY_FAILED, total + " rows (at most " + bounds.rows() + ")");
        }
        StatementBytes sql = new StatementBytes(charset, bounds.room());
        for (int i = 0; i < rows.size(); i++) {
            sql.text(plan.texts().get(i));
            block((Completion.FinalQuery) plan.blocks().get(i).completion(), rows.get(i), bounds.escapes(), sql);
        }
        sql.text(plan.texts().get(rows.size()));
        return sql.take();
    }

    private static void block(Completion.FinalQuery query, MergedRows rows, boolean escapes, StatementBytes sql)
            throws RefusedException {
        FinalStatement statement = new FinalStatement(query, escapes, sql);
        try {
            for (Row row = rows.next(); row != null; row = rows.next()) {
                statement.add(row);
            }
        } catch (FinalStatement.EncodingException e) {
            throw new RefusedException(Reason.VALUE, String.valueOf(e.getMessage()));
        }
        statement.end();
    }

    /** Runs a final query on the client's connection and returns its rows. */
    static List<Row> onServer(Command query, int columns, ClientConnection client)
            throws RefusedException, InterruptedException {
        Reply reply = Preflight.await(client, List.of(query)).get(0);
        if (reply instanceof Reply.TooLarge large) {
            throw new RefusedException(Reason.MEMORY, "the final query's answer of " + large.bytes() + " bytes");
        }
        if (reply instanceof Reply.Failed failed) {
            throw new RefusedException(Reason.FINAL_QUERY_FAILED, failed.errno() + ": " + failed.message());
        }
        if (!(reply instanceof Reply.Result finished) || finished.columns().size() != columns) {
            throw new RefusedException(Reason.FINAL_QUERY_FAILED, "no result set of " + columns + " columns");
        }
        if (finished.warnings() > 0) {
            throw new RefusedException(Reason.WARNINGS, "the final query raised " + finished.warnings());
        }
        return finished.rows();
    }

    private static List<byte[]> payloads(List<Row> rows) {
        return rows.stream().map(Row::payload).toList();
    }

    /** Iterates payloads up to the first null. */
    private static final class Payloads implements Iterator<byte[]> {
        private final Supplier<byte @Nullable []> rows;
        private byte @Nullable [] next;

        Payloads(Supplier<byte @Nullable []> rows) {
            this.rows = rows;
            this.next = rows.get();
        }

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public byte[] next() {
            byte[] payload = next;
            if (payload == null) {
                throw new NoSuchElementException();
            }
            next = rows.get();
            return payload;
        }
    }
}
