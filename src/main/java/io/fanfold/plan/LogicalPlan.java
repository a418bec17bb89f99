package io.fanfold.plan;

import io.fanfold.catalog.Partitioning;
import io.fanfold.row.Column;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.Comparison;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.SqlWords;
import io.fanfold.sql.StatementModel;
import io.fanfold.sql.TextRange;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The logical plan of a block, made from the text alone: the table to split, the expressions of the partition queries,
 * the merge and the final step. Types and collations are not yet known.
 *
 * @param model the block to split: the statement itself, or a block inside it
 * @param split the table instance to split
 * @param inputs the expressions of the partition queries, in order; also the select list of the typing query
 * @param shape how partial rows are merged
 * @param shadowingAliases names, in lower case, that the block uses as aliases. No table of the statement may have a column
 *     of such a name, because the name would then mean the column.
 * @param coPartitioned tables that may be read together with the split table, partition by partition
 * @param filtered whether dynamic filters may be added; if so, the inputs include the types that the conditions compare
 * @param placement the block's place in the statement, empty if it is the statement itself
 * @param primaryKeys the columns of the primary keys of the block's tables, as far as they are known
 */
public record LogicalPlan(
        SelectModel model,
        TableRef split,
        List<Input> inputs,
        Shape shape,
        Set<String> shadowingAliases,
        List<CoPartitionedTable> coPartitioned,
        boolean filtered,
        Optional<Placement> placement,
        Map<TableRef, List<String>> primaryKeys) {
    public LogicalPlan {
        inputs = List.copyOf(inputs);
        shadowingAliases = Set.copyOf(shadowingAliases);
        coPartitioned = List.copyOf(coPartitioned);
        primaryKeys = Map.copyOf(primaryKeys);
    }

    /** Creates the plan of a block that is the whole statement, without co-partitioned tables. */
    LogicalPlan(SelectModel model, TableRef split, List<Input> inputs, Shape shape, Set<String> shadowingAliases) {
        this(model, split, inputs, shape, shadowingAliases, List.of(), false, Optional.empty(), Map.of());
    }

    /**
     * Returns the names that a table must not have as columns: {@link #shadowingAliases} for a table of this block, else
     * none.
     */
    public Set<String> shadowingAliasesOf(TableRef table) {
        boolean inBlock = model.tables().stream()
                .anyMatch(own -> own.place() == SelectModel.TablePlace.FROM
                        && own.name().equals(table.name())
                        && Objects.equals(own.schema(), table.schema()));
        return inBlock ? shadowingAliases : Set.of();
    }

    /** Returns the text of the block as a statement of its own, for EXPLAIN. */
    public String text() {
        return model.with() + model.forServer(new TextRange(0, model.sql().length()));
    }

    /** Returns the words of an input. */
    SqlWords words(int input) {
        return model.words(inputs.get(input).sql());
    }

    /** Returns the block's own WHERE clause with a leading blank, empty if it has none. */
    String where() {
        return condition().isEmpty() ? "" : " WHERE " + condition();
    }

    /** Returns the condition of the block's WHERE clause, empty if it has none. */
    String condition() {
        return model.where().map(condition -> condition.outer().of(model.sql())).orElse("");
    }

    /**
     * Whether the block is inside a statement at a place that has no row order; LIMIT is then not part of the block.
     */
    boolean unordered() {
        return placement
                .map(place -> place.kind() != StatementModel.BlockKind.TABLE)
                .orElse(false);
    }

    /** Whether these columns have dates, and the block sorts joined rows. */
    public boolean sortsDates(List<Column> columns) {
        return shape instanceof PlainRows
                && !model.orderBy().isEmpty()
                && model.tables().size() > 1
                && columns.stream().anyMatch(column -> column.type().isDate());
    }

    /**
     * Returns the columns that plain rows are sorted by; none for any other shape.
     *
     * @param types the columns of the inputs
     */
    public List<Column> sortKeys(List<Column> types) {
        return shape instanceof PlainRows rows
                ? rows.sortInputs().stream().map(types::get).toList()
                : List.of();
    }

    /** Whether the condition for a range of the split table has a place in the partition query. */
    public boolean mayHaveRanges() {
        return switch (split.place()) {
            case FROM -> true;
            case DERIVED -> InnerCondition.of(model, model.sql(), split).isPresent();
            case WITH -> InnerCondition.of(model, model.with(), split).isPresent();
            case SUBQUERY -> false;
        };
    }

    /**
     * Whether partitions may be divided: the plan takes no group and no joined row to be in one partition, and its rows
     * are merged in any order.
     */
    public boolean mayDividePartitions() {
        return mayHaveRanges()
                && coPartitioned.isEmpty()
                && shape instanceof LogicalAggregation aggregation
                && aggregation.assumed().isEmpty();
    }

    /**
     * Whether the server keeps groups with aggregates in memory while it runs a partition query. Groups of values alone, as
     * for DISTINCT, take so little memory that more partition queries only take longer.
     */
    public boolean keepsGroups() {
        return shape instanceof LogicalAggregation aggregation
                && !aggregation.keys().isEmpty()
                && aggregation.distinctArguments().isEmpty()
                && !aggregation.aggregates().isEmpty();
    }

    /** Whether partition-local groups are possible. They never are for a block inside a statement. */
    boolean mayBeWhole() {
        return placement.isEmpty()
                && shape instanceof LogicalAggregation aggregation
                && aggregation.whole().isPresent();
    }

    /**
     * Returns this plan, adapted to the actual partitioning of the split table.
     *
     * @param partitioning the partitioning, empty if it is not known for certain
     */
    public LogicalPlan proven(Optional<Partitioning> partitioning) {
        if (!(shape instanceof LogicalAggregation aggregation)
                || aggregation.assumed().isEmpty()
                || partitioning.equals(aggregation.assumed())) {
            return this;
        }
        return new LogicalPlan(
                model,
                split,
                inputs,
                aggregation.inParts(),
                shadowingAliases,
                coPartitioned,
                filtered,
                placement,
                primaryKeys);
    }

    /**
     * Returns this plan with DISTINCT aggregates merged from their values instead of summed over the partitions. The
     * result is the same, but the server may read an index faster for one of the two. Empty if they cannot be summed.
     */
    public Optional<LogicalPlan> byValues() {
        return shape instanceof LogicalAggregation aggregation
                        && aggregation.localDistinct().isPresent()
                ? Optional.of(proven(Optional.empty()))
                : Optional.empty();
    }

    /** Returns this plan at a place in a statement. */
    LogicalPlan in(Placement place) {
        return new LogicalPlan(
                model,
                split,
                inputs,
                shape,
                shadowingAliases,
                coPartitioned,
                filtered,
                Optional.of(place),
                primaryKeys);
    }

    /**
     * Returns this plan with candidates for co-partitioned tables.
     *
     * @param more the inputs, including those that give the types of the candidates
     */
    LogicalPlan with(List<Input> more, List<CoPartitionedTable> joined) {
        return new LogicalPlan(model, split, more, shape, shadowingAliases, joined, filtered, placement, primaryKeys);
    }

    /**
     * Returns this plan with dynamic filters allowed.
     *
     * @param more the inputs, including those that the filters need
     */
    LogicalPlan filtered(List<Input> more) {
        return new LogicalPlan(
                model, split, more, shape, shadowingAliases, coPartitioned, true, placement, primaryKeys);
    }

    /** Returns this plan with the columns of the primary keys of its tables. */
    public LogicalPlan withPrimaryKeys(Map<TableRef, List<String>> known) {
        return new LogicalPlan(
                model, split, inputs, shape, shadowingAliases, coPartitioned, filtered, placement, known);
    }

    /** Returns this plan with only the co-partitioned tables whose partitions are known. */
    public LogicalPlan joining(List<CoPartitionedTable> proven) {
        return with(inputs, proven);
    }

    /**
     * The place of a block in its statement. The server runs the rest of the statement over the merged block.
     *
     * @param kind the block's role in the statement
     * @param body the span of the block in the statement's text
     * @param names the names of the block's columns, in order
     * @param alike see {@link StatementModel.StatementBlock}
     */
    public record Placement(StatementModel.BlockKind kind, TextRange body, List<String> names, Set<Integer> alike) {
        public Placement {
            names = List.copyOf(names);
            alike = Set.copyOf(alike);
        }
    }

    /**
     * One expression of the partition query.
     *
     * @param sql its text
     * @param typeOnly whether only its type is needed, not its value
     */
    public record Input(String sql, boolean typeOnly) {}

    /** How partial rows are merged. Input numbers count from 0. */
    public sealed interface Shape permits LogicalAggregation, PlainRows {}

    /**
     * Plain rows.
     *
     * @param sortInputs the inputs that are the sort keys, in order; empty without ORDER BY
     * @param compared the comparisons of the conditions; empty if the block evaluates anything else
     */
    public record PlainRows(List<Integer> sortInputs, Optional<List<ComparedInputs>> compared) implements Shape {
        public PlainRows {
            sortInputs = List.copyOf(sortInputs);
            compared = compared.map(List::copyOf);
        }
    }

    /**
     * Values that are compared with each other.
     *
     * @param columns the type-only inputs that are columns, at least one
     * @param with the comparison in the text
     */
    public record ComparedInputs(List<Integer> columns, Comparison with) {
        public ComparedInputs {
            columns = List.copyOf(columns);
        }
    }
}
