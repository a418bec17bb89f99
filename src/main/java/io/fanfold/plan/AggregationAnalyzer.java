package io.fanfold.plan;

import io.fanfold.catalog.Partitioning;
import io.fanfold.plan.LogicalAggregation.LocalDistinctValues;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.Refusal.Remedy;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.AggregateFunction;
import io.fanfold.sql.Expr;
import io.fanfold.sql.Expr.AggregateCall;
import io.fanfold.sql.Expr.ColumnRef;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.OrderItem;
import io.fanfold.sql.SelectModel.SelectItem;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.wire.ServerFlavor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Plans blocks with aggregates, GROUP BY or DISTINCT. Every grouping expression becomes a key and every aggregate call
 * an aggregate function of the plan. The rest of the select list, HAVING and ORDER BY is spliced from the original text
 * around references to these. A column that is neither inside an aggregate nor a key is refused, so the final query
 * needs no other input.
 *
 * <pre>
 * SELECT g, SUM(a)/SUM(b) AS r FROM t GROUP BY g HAVING r > 1 ORDER BY 2
 *   partition query   SELECT g, SUM(a), SUM(b) FROM t PARTITION (p) GROUP BY 1
 *   final query       SELECT k0, s0/s1 AS r FROM merged WHERE (s0/s1) > 1 ORDER BY 2
 * </pre>
 */
final class AggregationAnalyzer {
    private final SelectModel model;
    private final ServerFlavor flavor;
    private final Optional<Partitioning> partitioning;
    private final Optional<Refusal> onlyLocal;
    private final Inputs inputs = new Inputs();
    private final GroupingKeys keys;
    private final AggregateAnalyzer aggregates;
    private final Optional<MaterializedColumns> materialized;
    private final ItemNames names;
    private final PlanRules rules;

    /**
     * Creates the planner of one block.
     *
     * @param partitioning the partitioning of the table to split, if it is known
     * @param onlyLocal why the block's groups cannot be merged from their parts, if only partition-local groups are
     *     wanted
     * @param materializes whether rows are materialized for the final query to group
     */
    AggregationAnalyzer(
            SelectModel model,
            ServerFlavor flavor,
            PlanRules rules,
            Optional<Partitioning> partitioning,
            Optional<Refusal> onlyLocal,
            boolean materializes) {
        this.model = model;
        this.flavor = flavor;
        this.partitioning = partitioning;
        this.onlyLocal = onlyLocal;
        this.keys = new GroupingKeys(model, inputs);
        this.aggregates = new AggregateAnalyzer(model, inputs, flavor, onlyLocal.isPresent());
        this.materialized =
                materializes ? Optional.of(new MaterializedColumns(model, flavor, inputs, keys)) : Optional.empty();
        this.names = new ItemNames(model);
        this.rules = rules;
    }

    LogicalPlan analyze(TableRef split) throws RefusedException {
        for (SelectItem item : model.items()) {
            if (item.expr().kind() == Expr.ExprKind.STAR) {
                throw new RefusedException(Reason.SELECT_STAR, item.span().of(model.sql()));
            }
        }
        boolean plainDistinct = materialized.isEmpty()
                && model.distinct()
                && !model.aggregated()
                && model.groupBy().isEmpty();
        if (plainDistinct) {
            for (SelectItem item : model.items()) {
                if (flavor.isMariaDb() && item.expr().kind() != Expr.ExprKind.COLUMN) {
                    // MariaDB 10.11 was seen to drop rows that differ
                    throw new RefusedException(Reason.UNSUPPORTED_SYNTAX, "DISTINCT over an expression");
                }
                keys.add(item.expr());
            }
        } else {
            for (Expr expr : model.groupBy()) {
                keys.add(grouped(expr));
            }
            RefusedException.throwIf(rules.ofKeys(model, keys.exprs(), flavor));
        }
        boolean grouped =
                plainDistinct || !model.groupBy().isEmpty() || materialized.isPresent() && !model.aggregated();
        List<Template> items = new ArrayList<>();
        for (SelectItem item : model.items()) {
            items.add(convert(item.expr(), false));
            if (rules.needsType(model, item.expr(), flavor)) {
                inputs.type(text(item.expr()));
            }
        }
        Optional<Template> having = Optional.empty();
        if (model.having().isPresent()) {
            having = Optional.of(convert(model.having().get(), true));
        }
        List<Template> orderBy = new ArrayList<>();
        for (OrderItem item : model.orderBy()) {
            // one row needs no order, but its sort expressions are computed and may raise warnings
            Template sorted = ordered(item);
            if (grouped) {
                orderBy.add(sorted);
            }
        }
        if (materialized.isPresent()) {
            materialized
                    .get()
                    .requireNoTemporaryTable(
                            model.items().stream().map(SelectItem::expr).toList(), orderBy);
        }
        Optional<LocalDistinctValues> localDistinct = materialized.isPresent()
                ? Optional.empty()
                : partitioning.flatMap(
                        by -> new LocalDistinctRule(model, split, by, inputs).of(keys.inputs(), aggregates.list()));
        LogicalAggregation shape = new LogicalAggregation(
                materialized.map(MaterializedColumns::columns).orElse(keys.inputs()),
                aggregates.distinctInputs(),
                aggregates.list(),
                exactSums(),
                plainDistinct || materialized.isPresent()
                        ? Optional.empty()
                        : localGroups().of(split),
                localDistinct,
                materialized.map(MaterializedColumns::logical),
                grouped,
                model.rollup(),
                model.distinct() && !plainDistinct,
                items,
                having,
                orderBy);
        RefusedException.throwIf(rules.ofGroups(model, shape, flavor));
        return new LogicalPlan(model, split, inputs.list(), shape, names.shadowingAliases());
    }

    /**
     * Returns type-only inputs with the expressions that the final query sums. Sums of approximate numbers depend on
     * the order of the rows. All other supported window functions choose values or count rows.
     */
    private List<Integer> exactSums() {
        List<Integer> sums =
                new ArrayList<>(materialized.map(MaterializedColumns::sums).orElse(List.of()));
        sums.addAll(Stream.concat(
                        model.items().stream().map(SelectItem::expr),
                        model.orderBy().stream().map(OrderItem::expr))
                .flatMap(expr -> expr.windows().stream())
                .filter(call -> call.function().equals("SUM") || call.function().equals("AVG"))
                .flatMap(call -> call.arguments().stream())
                .map(argument -> inputs.type(text(argument)))
                .toList());
        return sums;
    }

    private LocalGroupsRule localGroups() {
        return new LocalGroupsRule(model, flavor, partitioning, onlyLocal, keys, inputs, names);
    }

    /** Returns the expression that an element of GROUP BY means. */
    private Expr grouped(Expr expr) throws RefusedException {
        if (expr.kind() == Expr.ExprKind.INTEGER) {
            return names.atPosition(text(expr)).expr();
        }
        Optional<Integer> item = names.aliased(expr);
        return item.isPresent() ? model.items().get(item.get()).expr() : expr;
    }

    private Template ordered(OrderItem item) throws RefusedException {
        List<Template.Piece> pieces = new ArrayList<>(sortKey(item.expr()));
        if (item.descending()) {
            pieces.add(new Template.Text(" DESC"));
        }
        return new Template(pieces);
    }

    private List<Template.Piece> sortKey(Expr expr) throws RefusedException {
        if (expr.kind() == Expr.ExprKind.INTEGER) {
            names.atPosition(text(expr));
            return List.of(new Template.Position(Integer.parseInt(text(expr)) - 1));
        }
        Optional<Integer> aliased = names.aliased(expr);
        if (aliased.isPresent()) {
            return List.of(new Template.Position(aliased.get()));
        }
        if (flavor.isMariaDb() && constant(expr)) {
            // MariaDB computes it for each group and may warn each time (PreparedWarningsIT)
            throw new RefusedException(Reason.UNSUPPORTED_SYNTAX, "sorting by the constant " + text(expr));
        }
        return convert(expr, true).pieces();
    }

    private static boolean constant(Expr expr) {
        return expr.kind() == Expr.ExprKind.OTHER
                && expr.columns().isEmpty()
                && expr.aggregates().isEmpty()
                && expr.windows().isEmpty();
    }

    /**
     * Converts an expression to one over merged columns.
     *
     * @param aliases whether names may be aliases of the select list, as in HAVING and ORDER BY. In windows they always
     *     may, which MySQL itself refuses.
     */
    private Template convert(Expr expr, boolean aliases) throws RefusedException {
        if (!aliases || names.aliased(expr).isEmpty()) {
            int key = keys.of(expr);
            if (key >= 0) {
                return new Template(List.of(new Template.KeyRef(key)));
            }
        }
        Splice splice = new Splice(model.sql());
        for (AggregateCall call : expr.aggregates()) {
            splice.replace(
                    call.span(),
                    materialized.isPresent()
                            ? materialized.get().call(call, expr)
                            : List.of(aggregates.of(call, expr.enclosing(call))));
        }
        RepeatedKeys.replace(model.sql(), keys.exprs(), expr, splice);
        for (ColumnRef column : expr.columns()) {
            if (!splice.covers(column.span())) {
                boolean named = aliases
                        || expr.windows().stream().anyMatch(call -> call.span().contains(column.span()));
                splice.replace(column.span(), columnPieces(column, named));
            }
        }
        return new Template(splice.pieces(expr.outer()));
    }

    private List<Template.Piece> columnPieces(ColumnRef column, boolean aliases) throws RefusedException {
        Optional<Integer> item = aliases ? names.aliased(column) : Optional.empty();
        if (item.isPresent()) {
            refuseInner(model.items().get(item.get()));
            List<Template.Piece> pieces = new ArrayList<>();
            pieces.add(new Template.Text("("));
            pieces.addAll(convert(model.items().get(item.get()).expr(), false).pieces());
            pieces.add(new Template.Text(")"));
            return pieces;
        }
        int key = keys.of(column);
        if (key < 0 && materialized.isPresent() && model.groupBy().isEmpty() && !model.aggregated()) {
            return List.of(materialized.get().column(column));
        }
        if (key < 0) {
            throw new RefusedException(Reason.UNGROUPED_COLUMN, column.span().of(model.sql()));
        }
        return List.of(new Template.KeyRef(key));
    }

    /**
     * Refuses aliases whose value an enclosing expression would see differently. AVG passes on more digits than its
     * quotient has, and the expression around the alias is not known here.
     */
    private void refuseInner(SelectItem item) throws RefusedException {
        if (materialized.isPresent() && flavor.isMariaDb()) {
            return;
        }
        if (onlyLocal.isEmpty()
                && item.expr().aggregates().stream().anyMatch(call -> call.function() == AggregateFunction.AVG)) {
            throw new RefusedException(Reason.AVG_IN_EXPRESSION, "the alias " + item.alias(), Remedy.WHOLE_GROUPS);
        }
        if (flavor.isMariaDb()
                && item.expr().aggregates().stream()
                        .anyMatch(call -> call.function().bits())) {
            throw new RefusedException(
                    Reason.AGGREGATE,
                    "the alias " + item.alias() + " of bits, which may be signed there",
                    Remedy.GATHER);
        }
    }

    private String text(Expr expr) {
        return expr.outer().of(model.sql());
    }
}
