package io.fanfold.plan;

import io.fanfold.config.FanOutConfig;
import io.fanfold.sql.AggregateFunction;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.SqlWords;
import io.fanfold.sql.StatementModel;
import io.fanfold.sql.StatementModel.BlockKind;
import io.fanfold.sql.TextRange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The logical plan of a statement, made from the text alone. Immutable.
 *
 * @param statement the whole statement
 * @param blocks the statement itself as one block without a placement, or blocks inside it with their placements, in order of
 *     position; at least one
 */
public record LogicalStatement(StatementModel statement, List<LogicalPlan> blocks) {
    public LogicalStatement {
        blocks = List.copyOf(blocks);
        if (blocks.isEmpty() || blocks.size() > 1 && blocks.get(0).placement().isEmpty()) {
            throw new IllegalArgumentException("blocks inside a statement, or one that is it");
        }
    }

    /** Whether the server has to run the rest of the statement around the merged blocks. */
    public boolean embedded() {
        return blocks.get(0).placement().isPresent();
    }

    /**
     * Whether MySQL explains the whole statement without running any of the blocks. For EXPLAIN, it runs blocks that
     * return one row and blocks in comparisons.
     */
    public boolean explainedUnrun() {
        return blocks.stream()
                .allMatch(block -> block.placement().isEmpty()
                        || block.placement().get().kind() == BlockKind.TABLE
                                && block.shape() instanceof LogicalAggregation shape
                                && shape.grouped());
    }

    /**
     * Whether the final query may build JSON from values that were sent to it. MariaDB then no longer knows which texts
     * are JSON.
     */
    public boolean makesJson() {
        boolean materialized = blocks.stream()
                .anyMatch(block -> block.shape() instanceof LogicalAggregation shape
                        && shape.materialized().isPresent());
        return (embedded() || materialized)
                && words(statement.sql()).contains(known -> known.isAggregate(AggregateFunction::json));
    }

    /** Whether approximate answers are allowed for all split blocks. */
    public boolean approximate() {
        return blocks.stream().allMatch(block -> block.model().approximate());
    }

    /**
     * Whether the rest of the statement has sums of its own, and approximate answers are not allowed. Sums of
     * approximate numbers depend on the row order, and the plan there may be a different one.
     */
    public boolean sumsOutside() {
        return embedded()
                && !approximate()
                && wordsAround().contains(known -> known.isAggregate(AggregateFunction::sums));
    }

    /** Returns the names that a table must not have as columns, see {@link LogicalPlan#shadowingAliases}. */
    public Set<String> shadowingAliasesOf(TableRef table) {
        Set<String> names = new HashSet<>();
        blocks.forEach(block -> names.addAll(block.shadowingAliasesOf(table)));
        return names;
    }

    /** Whether a table is one of the split tables. */
    public boolean splits(TableRef table) {
        return blocks.stream()
                .map(LogicalPlan::split)
                .anyMatch(split -> split.name().equals(table.name()) && Objects.equals(split.schema(), table.schema()));
    }

    /** Returns the settings that apply to all split tables. */
    public FanOutConfig settings(NamedTables tables) {
        return tables.settings(blocks.stream().map(LogicalPlan::split).toList(), statement.tables());
    }

    /** Returns this plan with only some of its blocks, at least one. */
    public LogicalStatement with(List<LogicalPlan> some) {
        return new LogicalStatement(statement, some);
    }

    /** Whether a table is named outside the merged blocks, so that the rest of the statement reads it. */
    boolean leaves(TableRef table) {
        return bodies().stream().noneMatch(body -> body.contains(table.nameSpan()));
    }

    private List<TextRange> bodies() {
        return blocks.stream()
                .flatMap(block -> block.placement().stream())
                .map(LogicalPlan.Placement::body)
                .toList();
    }

    /** Returns the statement's text before, between and after the merged blocks: one text more than blocks. */
    List<String> texts() {
        List<String> texts = new ArrayList<>();
        if (!embedded()) {
            // subqueries in the final query may use the WITH clause
            SelectModel model = blocks.get(0).model();
            return List.of(model.shown().isEmpty() ? "" : model.with(), "");
        }
        int at = 0;
        for (TextRange body : bodies()) {
            texts.add(statement.forServer(new TextRange(at, body.start())));
            at = body.end();
        }
        texts.add(statement.forServer(new TextRange(at, statement.sql().length())));
        return texts;
    }

    /** Returns the words of the statement's text around the merged blocks. */
    public SqlWords wordsAround() {
        return words(String.join("`ff`", texts()));
    }

    /**
     * Whether the rows may depend on the time of the statement: it asks for it, or makes a TIME, which a conversion to
     * DATETIME completes with the day.
     */
    public boolean dependsOnTime() {
        SqlWords words = words(statement.sql());
        return words.readsCurrentTime() || words.mayYieldTimes();
    }

    private SqlWords words(String text) {
        return blocks.get(0).model().words(text);
    }

    /** Whether the rest of the statement, or a subquery that a block leaves to the final query, reads tables. */
    boolean readsTables() {
        boolean shown = blocks.stream().anyMatch(block -> !block.model().shown().isEmpty());
        return shown || embedded() && statement.tables().stream().anyMatch(this::leaves);
    }
}
