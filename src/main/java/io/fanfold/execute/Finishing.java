package io.fanfold.execute;

import io.fanfold.execute.ClientPort.Command;
import io.fanfold.execute.ClientPort.Reply;
import io.fanfold.merge.FoldedRows;
import io.fanfold.metrics.Reason;
import io.fanfold.plan.FanOutPlan.Finish;
import io.fanfold.plan.StatementPlan;
import io.fanfold.row.HeapRoom;
import io.fanfold.row.Row;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Turns merged rows into the payloads of the answer's rows. */
final class Finishing {
    private Finishing() {}

    /**
     * What a finish query may hold.
     *
     * @param rows the most rows
     * @param escapes whether texts may need escapes in JSON, see {@link CatalogWatch#readsEscapes}
     * @param room has the heap that its text takes, and its answer; whoever closes it gives that back
     */
    record Bounds(int rows, boolean escapes, HeapRoom room) {}

    /**
     * Finishes.
     *
     * @param rows the merged rows of each block; read while the result is iterated, so to be closed after that
     * @param columns how many columns the answer has
     * @param charset the session's character set
     * @return payloads of text rows, to be iterated once
     */
    static Iterable<byte[]> finish(
            StatementPlan plan, List<FoldedRows> rows, int columns, Charset charset, ClientPort port, Bounds bounds)
            throws Abandoned, InterruptedException {
        FoldedRows first = rows.get(0);
        if (plan.finishesByQuery()) {
            Command query = new Command.Query(statement(plan, rows, charset, bounds), bounds.room());
            return onServer(query, columns, port);
        }
        return plan.blocks().get(0).finish() instanceof Finish.Direct direct
                ? () -> new Payloads(first, row -> project(row, direct.columns()))
                : () -> new Payloads(first, Row::payload);
    }

    private static byte[] project(Row row, List<Integer> columns) {
        List<byte[]> values = new ArrayList<>(columns.size());
        for (int column : columns) {
            values.add(row.bytes(column));
        }
        return Row.ofValues(values).payload();
    }

    /** The text of a finish query over merged rows, in a character set that extends ASCII. */
    static byte[] statement(StatementPlan plan, List<FoldedRows> rows, Charset charset, Bounds bounds)
            throws Abandoned {
        long total = rows.stream().mapToLong(FoldedRows::rows).sum();
        if (total > bounds.rows()) {
            throw new Abandoned(Reason.FINISH_FAILED, total + " rows (at most " + bounds.rows() + ")");
        }
        StatementBytes sql = new StatementBytes(charset, bounds.room());
        for (int i = 0; i < rows.size(); i++) {
            sql.text(plan.texts().get(i));
            block((Finish.Query) plan.blocks().get(i).finish(), rows.get(i), bounds.escapes(), sql);
        }
        sql.text(plan.texts().get(rows.size()));
        return sql.take();
    }

    private static void block(Finish.Query query, FoldedRows rows, boolean escapes, StatementBytes sql)
            throws Abandoned {
        FinishStatement statement = new FinishStatement(query, escapes, sql);
        try {
            for (Row row = rows.next(); row != null; row = rows.next()) {
                statement.add(row);
            }
        } catch (FinishStatement.CarrierException e) {
            throw new Abandoned(Reason.VALUE, String.valueOf(e.getMessage()));
        }
        statement.end();
    }

    private static Iterable<byte[]> onServer(Command query, int columns, ClientPort port)
            throws Abandoned, InterruptedException {
        Reply reply = ClientQuestions.await(port, List.of(query)).get(0);
        if (reply instanceof Reply.TooLarge large) {
            throw new Abandoned(Reason.MEMORY, "the finish query's answer of " + large.bytes() + " bytes");
        }
        if (reply instanceof Reply.Failed failed) {
            throw new Abandoned(Reason.FINISH_FAILED, failed.errno() + ": " + failed.message());
        }
        if (!(reply instanceof Reply.Rows finished) || finished.columns().size() != columns) {
            throw new Abandoned(Reason.FINISH_FAILED, "no result set of " + columns + " columns");
        }
        if (finished.warnings() > 0) {
            throw new Abandoned(Reason.WARNINGS, "the finish query raised " + finished.warnings());
        }
        return finished.rows().stream().map(Row::payload).toList();
    }

    /** Iterates merged rows. */
    private static final class Payloads implements Iterator<byte[]> {
        private final FoldedRows rows;
        private final Function<Row, byte[]> payload;
        private @Nullable Row next;

        Payloads(FoldedRows rows, Function<Row, byte[]> payload) {
            this.rows = rows;
            this.payload = payload;
            this.next = rows.next();
        }

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public byte[] next() {
            Row row = next;
            if (row == null) {
                throw new NoSuchElementException();
            }
            next = rows.next();
            return payload.apply(row);
        }
    }
}
