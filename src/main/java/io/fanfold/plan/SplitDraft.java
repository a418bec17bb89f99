package io.fanfold.plan;

import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.Span;
import io.fanfold.sql.StatementModel;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The split of a block as far as the text alone tells: which table is split, what each partition query computes, what is folded and
 * how the answer is finished. Types and collations are still unknown.
 *
 * @param model the block that is split: the statement itself, or a block inside it
 * @param split the table instance that is split
 * @param inputs what the partition queries compute, in order; also the select list of the typing query
 * @param shape how it is folded
 * @param notColumns names used as aliases that must not be the name of a column of any table of the statement, in lower
 *     case; else the name would mean the column
 * @param frame where it stands in the statement, empty when it is the statement itself
 */
public record SplitDraft(
        SelectModel model,
        TableRef split,
        List<Input> inputs,
        Shape shape,
        Set<String> notColumns,
        Optional<Frame> frame) {
    public SplitDraft {
        inputs = List.copyOf(inputs);
        notColumns = Set.copyOf(notColumns);
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

    /** The same block at a place in a statement. */
    SplitDraft in(Frame place) {
        return new SplitDraft(model, split, inputs, shape, notColumns, Optional.of(place));
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
     * @param keys inputs that are grouping keys
     * @param distinctArguments inputs over which DISTINCT aggregates range
     * @param slots what is folded
     * @param exactWindows type-only inputs of what window functions sum, which must be exact numbers
     * @param grouped whether groups come out, and none for no rows
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
            List<Integer> exactWindows,
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
            exactWindows = List.copyOf(exactWindows);
            items = List.copyOf(items);
            orderBy = List.copyOf(orderBy);
        }
    }

    /**
     * Plain rows in an order, the first of them.
     *
     * @param sortInputs the inputs that are the sort keys, in order; the inputs are nothing else
     */
    public record OrderedRows(List<Integer> sortInputs) implements Shape {
        public OrderedRows {
            sortInputs = List.copyOf(sortInputs);
        }
    }

    /** A slot whose types are unknown yet. */
    public sealed interface SlotDraft {
        /**
         * A sum of partial sums or counts.
         *
         * @param argument the type-only input with the summed expression; -1 for counts
         */
        record Sum(int input, int argument, boolean count) implements SlotDraft {}

        /** A smallest or largest value; {@code argument} is the type-only input with the expression itself. */
        record Extreme(int input, int argument, boolean largest) implements SlotDraft {}

        /** A bit aggregate. */
        record Bits(int input, int argument, MergeNode.BitOperation operation) implements SlotDraft {}

        /** The number of different tuples of these inputs, which are distinct arguments. */
        record CountDistinct(List<Integer> arguments) implements SlotDraft {
            public CountDistinct {
                arguments = List.copyOf(arguments);
            }
        }

        /** The sum of the different values of a distinct argument; {@code sum} is a type-only input with its SUM. */
        record SumDistinct(int sum, int argument) implements SlotDraft {}
    }
}
