package io.fanfold.execute;

import io.fanfold.execute.ClientConnection.Command;
import io.fanfold.operator.BudgetExceededException;
import io.fanfold.operator.MemoryBudget;
import io.fanfold.operator.MergedRows;
import io.fanfold.plan.FanOutPlan.Completion;
import io.fanfold.plan.FanOutPlan.Portions;
import io.fanfold.plan.StatementPlan;
import io.fanfold.reason.Reason;
import io.fanfold.reason.RefusedException;
import io.fanfold.row.Row;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends merged rows to the server in portions, for a final query that computes each row separately. The rows are in the
 * order of the answer, so the portions' answers are concatenated. Once there are enough rows, no further portion is
 * sent. For one thread.
 */
final class PortionedFinalQuery {
    /** The heap of a row in addition to its payload bytes. */
    private static final long ROW_BYTES = 32;

    private final StatementPlan plan;
    private final Completion.FinalQuery query;
    private final MergedRows rows;
    private final int columns;
    private final Charset charset;
    private final ClientConnection client;
    private final FinalQueryRun.FinalQueryLimits bounds;
    private final List<byte[]> payloads = new ArrayList<>();
    private long toSkip;
    private long wanted;

    PortionedFinalQuery(
            StatementPlan plan,
            MergedRows rows,
            int columns,
            Charset charset,
            ClientConnection client,
            FinalQueryRun.FinalQueryLimits bounds) {
        this.plan = plan;
        this.query = plan.portioned().orElseThrow();
        this.rows = rows;
        this.columns = columns;
        this.charset = charset;
        this.client = client;
        this.bounds = bounds;
        Portions portions = query.portions().orElseThrow();
        this.toSkip = portions.offset();
        this.wanted = portions.count();
    }

    /** The payloads of the answer's rows. */
    List<byte[]> run() throws RefusedException, InterruptedException {
        for (Row row = rows.next(); row != null && wanted > 0; ) {
            try (MemoryBudget room =
                    bounds.room().child("portion", bounds.room().limitBytes())) {
                StatementBytes sql = new StatementBytes(charset, room);
                row = write(row, sql);
                for (Row finished :
                        FinalQueryRun.onServer(new Command.ClientQuery(sql.take(), room), columns, client)) {
                    take(finished);
                }
            } catch (BudgetExceededException e) {
                throw new RefusedException(Reason.MEMORY, String.valueOf(e.getMessage()));
            }
        }
        return payloads;
    }

    /** Writes the query of one portion, and returns the first row of the next one. */
    private @Nullable Row write(Row first, StatementBytes sql) throws RefusedException {
        sql.text(plan.texts().get(0));
        FinalStatement statement = new FinalStatement(query, bounds.escapes(), sql);
        Row row = first;
        try {
            for (int count = 0; row != null && count < bounds.rows() && sql.length() < bounds.bytes(); count++) {
                statement.add(row);
                row = rows.next();
            }
        } catch (FinalStatement.EncodingException e) {
            throw new RefusedException(Reason.VALUE, String.valueOf(e.getMessage()));
        }
        statement.end();
        sql.text(plan.texts().get(1));
        return row;
    }

    private void take(Row row) throws BudgetExceededException {
        if (toSkip > 0) {
            toSkip--;
        } else if (wanted > 0) {
            wanted--;
            bounds.room().reserve(ROW_BYTES + row.payload().length);
            payloads.add(row.payload());
        }
    }
}
