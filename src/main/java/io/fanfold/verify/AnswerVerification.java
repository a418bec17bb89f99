package io.fanfold.verify;

import io.fanfold.client.RowStream;
import io.fanfold.client.ServerException;
import io.fanfold.client.WireConnection;
import io.fanfold.metrics.VerifyResult;
import io.fanfold.plan.LogicalPlan;
import io.fanfold.plan.LogicalStatement;
import io.fanfold.plan.PreparedQueries;
import io.fanfold.row.Column;
import io.fanfold.row.Row;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.TextRange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Runs a statement as the server runs it, and compares its answer with one that was sent. If they differ, it asks the
 * server whether SQL leaves the difference open. For one thread.
 */
public final class AnswerVerification {
    private final WireConnection worker;
    private final LogicalStatement logical;
    private final AnswerChoices choices;
    private long nanos;

    /**
     * Creates a verification.
     *
     * @param worker has the client's session settings and a snapshot of the data that the sent answer was read from
     */
    public AnswerVerification(WireConnection worker, LogicalStatement logical, AnswerChoices choices) {
        this.worker = worker;
        this.logical = logical;
        this.choices = choices;
    }

    /** Returns the text of the statement that is run. */
    public static String text(LogicalStatement logical) {
        return logical.statement()
                .forServer(new TextRange(0, logical.statement().sql().length()));
    }

    /**
     * Runs the statement, and further queries if its answer differs.
     *
     * @throws ServerException if the server refuses the statement
     */
    public VerifyOutcome verify(AnswerDigest sent) throws IOException, ServerException {
        long start = System.nanoTime();
        AnswerDigest direct = run();
        nanos = System.nanoTime() - start;
        if (direct.same(sent)) {
            return new VerifyOutcome(VerifyResult.SAME, "", direct.toString(), nanos);
        }
        boolean mixed = choices.tied() || choices.chosen() && hasEqualValuesThatDiffer();
        boolean inside = choices.whole().isEmpty();
        if (choices.chosen() && (mixed || inside) && direct.sameCertain(sent)) {
            return open("only values differ among which the server may choose", direct);
        }
        if (mixed && inside) {
            return open("the server chooses among equal values or rows, and computes with its choice", direct);
        }
        Optional<Boolean> allowed = choices.ordered() ? allowedOrder(sent, direct, mixed) : Optional.empty();
        if (allowed.isPresent() && allowed.get()) {
            return new VerifyOutcome(VerifyResult.SAME, "", direct.toString(), nanos);
        }
        if (allowed.isEmpty() && direct.rows() == sent.rows()) {
            if (choices.limited()) {
                return open("the order leaves open which rows LIMIT returns", direct);
            }
            if (choices.ordered() && direct.sameRows(sent, mixed)) {
                return open("only the order differs, which could not be checked", direct);
            }
        }
        if (!run().same(direct)) {
            return open("the server itself gives different answers", direct);
        }
        return new VerifyOutcome(VerifyResult.DIFFERENT, difference(sent, direct, mixed), direct.toString(), nanos);
    }

    private VerifyOutcome open(String why, AnswerDigest direct) {
        return new VerifyOutcome(VerifyResult.OPEN, why, direct.toString(), nanos);
    }

    private static String difference(AnswerDigest sent, AnswerDigest direct, boolean mixed) {
        if (sent.rows() != direct.rows()) {
            return "Fanfold sent " + sent.rows() + " rows, the server " + direct.rows();
        }
        return direct.sameRows(sent, mixed) ? "the order of the rows differs" : "values differ";
    }

    private AnswerDigest run() throws IOException, ServerException {
        AnswerDigest digest = new AnswerDigest(choices);
        try (RowStream rows = stream(text(logical), choices.columns().size())) {
            for (Row row = rows.next(); row != null; row = rows.next()) {
                digest.add(row);
            }
        }
        return digest;
    }

    private RowStream stream(String sql, int columns) throws IOException, ServerException {
        RowStream rows = worker.stream(sql.getBytes(StandardCharsets.UTF_8));
        if (rows.columns().size() != columns) {
            int found = rows.columns().size();
            rows.close();
            throw worker.unexpected(found + " columns in place of " + columns);
        }
        return rows;
    }

    /**
     * Whether the sent rows are allowed by the statement's order and LIMIT. Empty if that cannot be decided, also if the
     * server's own answer does not seem to be allowed: with a window function, it may compute other digits.
     */
    private Optional<Boolean> allowedOrder(AnswerDigest sent, AnswerDigest direct, boolean onlyCertain)
            throws IOException, ServerException {
        Optional<SelectModel> whole = choices.whole();
        Optional<String> ranked = whole.flatMap(RankedStatement::of);
        Optional<List<RowHash>> hashes = sent.inOrder(onlyCertain);
        Optional<List<RowHash>> directHashes = direct.inOrder(onlyCertain);
        if (whole.isEmpty() || ranked.isEmpty() || hashes.isEmpty() || directHashes.isEmpty()) {
            return Optional.empty();
        }
        int columns = choices.columns().size();
        OrderCheck check = check(whole.get(), hashes.get());
        OrderCheck directCheck = check(whole.get(), directHashes.get());
        try (RowStream rows = stream(ranked.get(), columns + 1)) {
            for (Row row = rows.next(); row != null; row = rows.next()) {
                RowHash hash =
                        onlyCertain ? RowHash.ofCertain(row, choices.columns()) : RowHash.of(row, choices.columns());
                String rank = String.valueOf(row.ascii(columns));
                check.add(hash, rank);
                directCheck.add(hash, rank);
            }
        } catch (ServerException e) {
            if (worker.idle() && !e.interrupted()) {
                return Optional.empty();
            }
            throw e;
        }
        return directCheck.allows() ? Optional.of(check.allows()) : Optional.empty();
    }

    private static OrderCheck check(SelectModel model, List<RowHash> rows) {
        return new OrderCheck(
                rows,
                model.limit().map(SelectModel.Limit::offset).orElse(0L),
                model.limit().map(SelectModel.Limit::count).orElse(Long.MAX_VALUE));
    }

    /**
     * Whether some string that the blocks group by or aggregate has equal values with different bytes. Only then may
     * servers show different ones.
     */
    private boolean hasEqualValuesThatDiffer() throws IOException, ServerException {
        for (LogicalPlan block : logical.blocks()) {
            List<Column> types = worker.prepare(PreparedQueries.typing(block)).columns();
            Set<String> asked = new HashSet<>();
            for (int i = 0; i < block.inputs().size() && i < types.size(); i++) {
                Column type = types.get(i);
                String input = block.inputs().get(i).sql();
                if (type.type().isString() && !type.binaryString() && asked.add(input) && differ(block, input)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean differ(LogicalPlan block, String input) throws IOException, ServerException {
        SelectModel model = block.model();
        String where = model.where()
                .map(condition -> " WHERE " + condition.outer().of(model.sql()))
                .orElse("");
        String sql = model.with() + "SELECT 1 " + model.from().of(model.sql()) + where + " GROUP BY " + input
                + " HAVING MIN(HEX(" + input + ")) <> MAX(HEX(" + input + ")) LIMIT 1";
        try {
            return !worker.query(sql).rows().isEmpty();
        } catch (ServerException e) {
            if (e.interrupted()) {
                throw e;
            }
            // an aggregate such as MIN(s): its argument is an input too
            return false;
        }
    }
}
