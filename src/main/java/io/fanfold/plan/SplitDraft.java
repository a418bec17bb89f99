package io.fanfold.plan;

import io.fanfold.catalog.Partitioning;
import io.fanfold.plan.SplitDecision.PassThrough;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.Comparison;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.Span;
import io.fanfold.sql.StatementModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The split of a block as far as the text alone tells: which table is split, what each partition query computes, what
 * is folded and how the answer is finished. Types and collations are still unknown.
 *
 * @param model the block that is split: the statement itself, or a block inside it
 * @param split the table instance that is split
 * @param inputs what the partition queries compute, in order; also the select list of the typing query
 * @param shape how it is folded
 * @param notColumns names used as aliases that must not be the name of a column of any table of the statement, in lower
 *     case; else the name would mean the column
 * @param partners tables that may be read together with the split table, partition by partition
 * @param filtered whether dynamic filters may be added; then the inputs tell the types of what the conditions compare
 * @param frame where it stands in the statement, empty when it is the statement itself
 */
public record SplitDraft(
        SelectModel model,
        TableRef split,
        List<Input> inputs,
        Shape shape,
        Set<String> notColumns,
        List<PartnerTable> partners,
        boolean filtered,
        Optional<Frame> frame) {
    public SplitDraft {
        inputs = List.copyOf(inputs);
        notColumns = Set.copyOf(notColumns);
        partners = List.copyOf(partners);
    }

    /** The draft of a block that is a statement itself, of which no partner tables are known. */
    SplitDraft(SelectModel model, TableRef split, List<Input> inputs, Shape shape, Set<String> notColumns) {
        this(model, split, inputs, shape, notColumns, List.of(), false, Optional.empty());
    }

    /** Names that a table of the statement must not have as columns: only the block's own tables can take them. */
    public Set<String> notColumnsOf(TableRef table) {
        boolean inBlock = model.tables().stream()
                .anyMatch(own -> own.place() == SelectModel.Place.FROM
                        && own.name().equals(table.name())
                        && Objects.equals(own.schema(), table.schema()));
        return inBlock ? notColumns : Set.of();
    }

    /** The block by itself, as the server may be asked to explain it. */
    public String text() {
        return model.with() + model.forServer(new Span(0, model.sql().length()));
    }

    /** The block's own WHERE clause after a blank; empty when it has none. */
    String where() {
        return condition().isEmpty() ? "" : " WHERE " + condition();
    }

    /** What stands after WHERE in the block; empty when it has no WHERE clause. */
    String condition() {
        return model.where().map(condition -> condition.span().of(model.sql())).orElse("");
    }

    /** Whether the block stands inside a statement where its rows have no order, and LIMIT is no part of it. */
    boolean loose() {
        return frame.map(place -> place.kind() != StatementModel.Kind.TABLE).orElse(false);
    }

    /** Whether the groups of the block may be read whole, which they are not inside a statement. */
    boolean mayBeWhole() {
        return frame.isEmpty()
                && shape instanceof Aggregation aggregation
                && aggregation.whole().isPresent();
    }

    /**
     * The same block with what is known of the split table.
     *
     * @param partitioning how it is partitioned, empty when that is not known for certain
     */
    public SplitDraft proven(Optional<Partitioning> partitioning) {
        if (!(shape instanceof Aggregation aggregation)
                || aggregation.assumed().isEmpty()
                || partitioning.equals(aggregation.assumed())) {
            return this;
        }
        return new SplitDraft(model, split, inputs, aggregation.inParts(), notColumns, partners, filtered, frame);
    }

    /**
     * The same block with DISTINCT aggregates folded from their values instead of added up from the partitions' own, which gives the
     * same result. The server may read an index faster for the one or for the other. Empty if they do not add up.
     */
    public Optional<SplitDraft> byValues() {
        return shape instanceof Aggregation aggregation
                        && aggregation.disjoint().isPresent()
                ? Optional.of(proven(Optional.empty()))
                : Optional.empty();
    }

    /** The same block at a place in a statement. */
    SplitDraft in(Frame place) {
        return new SplitDraft(model, split, inputs, shape, notColumns, partners, filtered, Optional.of(place));
    }

    /** The same block with tables that may be partners, and the inputs that tell their types. */
    SplitDraft with(List<Input> more, List<PartnerTable> joined) {
        return new SplitDraft(model, split, more, shape, notColumns, joined, filtered, frame);
    }

    /** The same block with dynamic filters, and the inputs that tell what they need to know. */
    SplitDraft filtered(List<Input> more) {
        return new SplitDraft(model, split, more, shape, notColumns, partners, true, frame);
    }

    /** The same block with the partners of which the partitions are known. */
    public SplitDraft joining(List<PartnerTable> proven) {
        return with(inputs, proven);
    }

    /**
     * Where a block stands in a statement, which the server runs over the folded block.
     *
     * @param kind as what it stands there
     * @param body where its text lies in the statement's
     * @param names the names of its columns in order
     * @param alike see {@link StatementModel.Part}
     */
    public record Frame(StatementModel.Kind kind, Span body, List<String> names, Set<Integer> alike) {
        public Frame {
            names = List.copyOf(names);
            alike = Set.copyOf(alike);
        }
    }

    /**
     * One expression of the partition query.
     *
     * @param sql its text
     * @param typeOnly whether only its type is asked for, and not its value
     */
    public record Input(String sql, boolean typeOnly) {}

    /** How partial rows are folded. Numbers of inputs count from 0. */
    public sealed interface Shape {}

    /**
     * Aggregation, scalar or grouped.
     *
     * @param keys inputs that are grouping keys; of gathered rows all their columns
     * @param distinctArguments inputs over which DISTINCT aggregates range
     * @param slots what is folded
     * @param exactSums type-only inputs of what the finish query sums, which must be exact numbers
     * @param whole how groups are read whole, where each lies in one partition
     * @param disjoint how DISTINCT aggregates add up, where no value of theirs is in two partitions
     * @param gathered how rows are gathered for the finish query to group them; empty where groups are folded
     * @param grouped whether rows or groups come out, and none for no rows
     * @param rollup whether the finished rows are grouped once more, WITH ROLLUP
     * @param distinctRows whether SELECT DISTINCT stands over aggregates, so that finished rows may repeat
     * @param items the select list over merged columns, without aliases
     * @param having the condition over merged columns
     * @param orderBy the sort expressions over merged columns, with their direction
     */
    public record Aggregation(
            List<Integer> keys,
            List<Integer> distinctArguments,
            List<SlotDraft> slots,
            List<Integer> exactSums,
            Optional<WholeGroups> whole,
            Optional<DisjointValues> disjoint,
            Optional<Gathered> gathered,
            boolean grouped,
            boolean rollup,
            boolean distinctRows,
            List<Template> items,
            Optional<Template> having,
            List<Template> orderBy)
            implements Shape {
        public Aggregation {
            keys = List.copyOf(keys);
            distinctArguments = List.copyOf(distinctArguments);
            slots = List.copyOf(slots);
            exactSums = List.copyOf(exactSums);
            items = List.copyOf(items);
            orderBy = List.copyOf(orderBy);
        }

        /**
         * How many of the keys, from the first on, the finish query groups by: those of gathered rows, all of rolled up
         * groups, and none where the merged rows are the groups already.
         */
        int grouping() {
            return gathered.map(Gathered::grouping).orElse(rollup ? keys.size() : 0);
        }

        /** The input with what a merged column is made of, see {@link SlotDraft#source}; -1 where there is no single one. */
        int source(Template.Ref ref) {
            if (ref instanceof Template.KeyRef key) {
                return keys.get(key.key());
            }
            return ref instanceof Template.SlotRef slot ? slots.get(slot.slot()).source() : -1;
        }

        /** Everything over merged columns. */
        List<Template> templates() {
            List<Template> all = new ArrayList<>(items);
            having.ifPresent(all::add);
            all.addAll(orderBy);
            return all;
        }

        /** How the split table is taken to be partitioned, where that matters. */
        private Optional<Partitioning> assumed() {
            return whole.map(WholeGroups::partitioning).or(() -> disjoint.map(DisjointValues::partitioning));
        }

        /** The same, folded from parts of groups; whoever may not do that is left with no way. */
        private Aggregation inParts() {
            Optional<WholeGroups> left =
                    whole.filter(groups -> groups.onlyWhole().isPresent()).map(WholeGroups::unproven);
            return new Aggregation(
                    keys,
                    distinctArguments,
                    slots,
                    exactSums,
                    left,
                    Optional.empty(),
                    gathered,
                    grouped,
                    rollup,
                    distinctRows,
                    items,
                    having,
                    orderBy);
        }
    }

    /**
     * DISTINCT aggregates that add up over the partitions: each ranges over values of which none is in two partitions.
     *
     * @param partitioning what was taken for how the table is partitioned
     * @param columns the inputs that are its columns, with their names
     * @param whole by the numbers of the slots of these aggregates the type-only inputs with the aggregates themselves
     */
    public record DisjointValues(
            Partitioning partitioning, List<PartitioningColumn> columns, Map<Integer, Integer> whole) {
        public DisjointValues {
            columns = List.copyOf(columns);
            whole = Map.copyOf(whole);
        }
    }

    /**
     * Rows that partition queries bring as they are, because what is made of them has no merge rule: the finish query
     * groups them, or computes window functions over them.
     *
     * @param grouping how many of the keys, from the first on, the finish query groups by; none where it does not group
     * @param alike type-only inputs whose equal values must look alike, since they are only sorted by themselves
     * @param json type-only inputs that become values of JSON
     * @param jsonColumns inputs with the columns that those are computed from
     */
    public record Gathered(int grouping, List<Integer> alike, List<Integer> json, List<Integer> jsonColumns) {
        public Gathered {
            alike = List.copyOf(alike);
            json = List.copyOf(json);
            jsonColumns = List.copyOf(jsonColumns);
        }
    }

    /**
     * Groups of which each has all its rows in one partition, since it is one value of what the table is partitioned
     * by: each partition query is the block as it is, and the groups are concatenated, or merged in their order.
     *
     * @param partitioning what was taken for how the table is partitioned
     * @param columns inputs with the partitioning columns; none where the partitioning turned out another
     * @param sortInputs the inputs that are the sort keys, in order
     * @param descending for each whether it is sorted downwards
     * @param onlyWhole why the groups cannot be folded from parts of them; empty when they can
     */
    public record WholeGroups(
            Partitioning partitioning,
            List<Integer> columns,
            List<Integer> sortInputs,
            List<Boolean> descending,
            Optional<PassThrough> onlyWhole) {
        public WholeGroups {
            columns = List.copyOf(columns);
            sortInputs = List.copyOf(sortInputs);
            descending = List.copyOf(descending);
        }

        private WholeGroups unproven() {
            return new WholeGroups(partitioning, List.of(), List.of(), List.of(), onlyWhole);
        }
    }

    /**
     * Plain rows.
     *
     * @param sortInputs the inputs that are the sort keys, in order; none without ORDER BY
     * @param compared what the conditions compare, where nothing else is evaluated; empty where something is
     */
    public record PlainRows(List<Integer> sortInputs, Optional<List<Compared>> compared) implements Shape {
        public PlainRows {
            sortInputs = List.copyOf(sortInputs);
            compared = compared.map(List::copyOf);
        }
    }

    /**
     * Values that are compared with each other.
     *
     * @param columns the type-only inputs with the columns, at least one
     * @param with the comparison as it was read
     */
    public record Compared(List<Integer> columns, Comparison with) {
        public Compared {
            columns = List.copyOf(columns);
        }
    }

    /** A slot whose types are unknown yet. */
    public sealed interface SlotDraft {
        /** The input with the expression whose values the slot adds up or chooses from; -1 where there is no single one. */
        default int source() {
            return -1;
        }

        /**
         * A sum of partial sums or counts.
         *
         * @param argument the type-only input with the summed expression; -1 for counts
         */
        record Sum(int input, int argument, boolean count) implements SlotDraft {
            @Override
            public int source() {
                return argument;
            }
        }

        /** A smallest or largest value; {@code argument} is the type-only input with the expression itself. */
        record Extreme(int input, int argument, boolean largest) implements SlotDraft {
            @Override
            public int source() {
                return argument;
            }
        }

        /** One of the values; {@code argument} is the type-only input with the expression itself. */
        record AnyValue(int input, int argument) implements SlotDraft {
            @Override
            public int source() {
                return argument;
            }
        }

        /**
         * A variance or standard deviation, out of inputs with the number, mean and variance of the values;
         * {@code shown} is the type-only input with the call itself.
         */
        record Spread(int count, int mean, int variance, int shown, MergeNode.SpreadFunction function)
                implements SlotDraft {}

        /** A bit aggregate. */
        record Bits(int input, int argument, MergeNode.BitOperation operation) implements SlotDraft {}

        /** The number of different tuples of these inputs, which are distinct arguments. */
        record CountDistinct(List<Integer> arguments) implements SlotDraft {
            public CountDistinct {
                arguments = List.copyOf(arguments);
            }
        }

        /** The sum of the different values of a distinct argument; {@code sum} is a type-only input with its SUM. */
        record SumDistinct(int sum, int argument) implements SlotDraft {
            @Override
            public int source() {
                return argument;
            }
        }
    }
}
