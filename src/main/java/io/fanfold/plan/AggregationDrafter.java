package io.fanfold.plan;

import io.fanfold.catalog.Partitioning;
import io.fanfold.plan.SplitDraft.Aggregation;
import io.fanfold.plan.SplitDraft.DisjointValues;
import io.fanfold.reason.Reason;
import io.fanfold.reason.Refusal;
import io.fanfold.reason.RefusedException;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.AggregateCall;
import io.fanfold.sql.SelectModel.AggregateFunction;
import io.fanfold.sql.SelectModel.ColumnRef;
import io.fanfold.sql.SelectModel.Expr;
import io.fanfold.sql.SelectModel.OrderItem;
import io.fanfold.sql.SelectModel.SelectItem;
import io.fanfold.sql.SelectModel.TableRef;
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
final class AggregationDrafter {
    /** A grouping key and its input. */
    record Key(Expr expr, int input) {}

    private final SelectModel model;
    private final boolean mariaDb;
    private final Optional<Partitioning> partitioning;
    private final Optional<Refusal> onlyWhole;
    private final Inputs inputs = new Inputs();
    private final Slots slots;
    private final Optional<GatheredColumns> gathered;
    private final ItemNames names;
    private final RollupRule rollup;
    private final List<Key> keys = new ArrayList<>();

    /**
     * Creates the planner of one block.
     *
     * @param partitioning the partitioning of the table to split, if it is known
     * @param onlyWhole why the block's groups cannot be merged from their parts, if only partition-local groups are
     *     wanted
     * @param gathers whether rows are materialized for the final query to group
     */
    AggregationDrafter(
            SelectModel model,
            boolean mariaDb,
            Optional<Partitioning> partitioning,
            Optional<Refusal> onlyWhole,
            boolean gathers) {
        this.model = model;
        this.mariaDb = mariaDb;
        this.partitioning = partitioning;
        this.onlyWhole = onlyWhole;
        this.slots = new Slots(model, inputs, mariaDb, onlyWhole.isPresent());
        this.gathered = gathers ? Optional.of(new GatheredColumns(model, mariaDb, inputs, keys)) : Optional.empty();
        this.names = new ItemNames(model);
        this.rollup = new RollupRule(model, mariaDb);
    }

    SplitDraft draft(TableRef split) throws RefusedException {
        for (SelectItem item : model.items()) {
            if (item.expr().kind() == Expr.Kind.STAR) {
                throw new RefusedException(Reason.SELECT_STAR, item.span().of(model.sql()));
            }
        }
        boolean plainDistinct = gathered.isEmpty()
                && model.distinct()
                && !model.aggregated()
                && model.groupBy().isEmpty();
        if (plainDistinct) {
            for (SelectItem item : model.items()) {
                if (mariaDb && item.expr().kind() != Expr.Kind.COLUMN) {
                    // MariaDB 10.11 was seen to drop rows that differ
                    throw new RefusedException(Reason.UNSUPPORTED_SYNTAX, "DISTINCT over an expression");
                }
                addKey(item.expr());
            }
        } else {
            for (Expr expr : model.groupBy()) {
                addKey(grouped(expr));
            }
            rollup.requireDifferentKeys(model.groupBy().size(), keys.size());
            rollup.requireColumns(keys.stream().map(Key::expr).toList());
            rollup.requireApartKeys(keys.stream().map(Key::expr).toList());
        }
        boolean grouped = plainDistinct || !model.groupBy().isEmpty() || gathered.isPresent() && !model.aggregated();
        List<Template> items = new ArrayList<>();
        for (SelectItem item : model.items()) {
            items.add(convert(item.expr(), false));
        }
        Optional<Template> having = Optional.empty();
        if (model.having().isPresent()) {
            having = Optional.of(convert(model.having().get(), true));
            rollup.requireNoKey(having);
            rollup.requireNotDistinct(having);
        }
        List<Template> orderBy = new ArrayList<>();
        for (OrderItem item : model.orderBy()) {
            // one row needs no order, but its sort expressions are computed and may raise warnings
            Template sorted = ordered(item);
            if (grouped) {
                orderBy.add(sorted);
            }
        }
        if (gathered.isPresent()) {
            gathered.get()
                    .requireNoTemporaryTable(
                            model.items().stream().map(SelectItem::expr).toList(), orderBy);
        }
        rollup.requireShownOnce(items);
        rollup.requireApart(items);
        rollup.requireApart(having.stream().toList());
        rollup.requireApart(orderBy);
        rollup.requireNoDistinct(slots.distinctInputs());
        rollup.requireNoSpread(slots.list());
        List<Integer> keyInputs = keys.stream().map(Key::input).toList();
        Optional<DisjointValues> disjoint = gathered.isPresent()
                ? Optional.empty()
                : partitioning.flatMap(by -> new DisjointRule(model, split, by, inputs).of(keyInputs, slots.list()));
        return new SplitDraft(
                model,
                split,
                inputs.list(),
                new Aggregation(
                        gathered.map(GatheredColumns::columns).orElse(keyInputs),
                        slots.distinctInputs(),
                        slots.list(),
                        exactSums(),
                        plainDistinct || gathered.isPresent()
                                ? Optional.empty()
                                : wholeGroups().of(split),
                        disjoint,
                        gathered.map(GatheredColumns::draft),
                        grouped,
                        model.rollup(),
                        model.distinct() && !plainDistinct,
                        items,
                        having,
                        orderBy),
                names.notColumns());
    }

    /**
     * Returns type-only inputs with the expressions that the final query sums. Sums of approximate numbers depend on
     * the order of the rows. All other supported window functions choose values or count rows.
     */
    private List<Integer> exactSums() {
        List<Integer> sums = new ArrayList<>(gathered.map(GatheredColumns::sums).orElse(List.of()));
        sums.addAll(Stream.concat(
                        model.items().stream().map(SelectItem::expr),
                        model.orderBy().stream().map(OrderItem::expr))
                .flatMap(expr -> expr.windows().stream())
                .filter(call -> call.function().equals("SUM") || call.function().equals("AVG"))
                .flatMap(call -> call.arguments().stream())
                .map(argument -> inputs.type(argument.of(model.sql())))
                .toList());
        return sums;
    }

    private WholeGroupsRule wholeGroups() {
        return new WholeGroupsRule(model, mariaDb, partitioning, onlyWhole, this, inputs, names);
    }

    /** Returns the expression that an element of GROUP BY means. */
    private Expr grouped(Expr expr) throws RefusedException {
        if (expr.kind() == Expr.Kind.INTEGER) {
            return names.atPosition(text(expr)).expr();
        }
        Optional<Integer> item = names.aliased(expr);
        return item.isPresent() ? model.items().get(item.get()).expr() : expr;
    }

    private void addKey(Expr expr) throws RefusedException {
        if (!expr.aggregates().isEmpty()
                || !expr.windows().isEmpty()
                || expr.columns().isEmpty()
                || model.shown().stream().anyMatch(expr.span()::contains)) {
            throw new RefusedException(Reason.UNSUPPORTED_SYNTAX, "grouping by " + text(expr));
        }
        if (keyOf(expr) < 0) {
            keys.add(new Key(expr, inputs.value(text(expr))));
        }
    }

    /** Returns the keys in order. */
    List<Key> keys() {
        return keys;
    }

    /** Returns the key that an expression is, -1 if it is none. */
    int keyOf(Expr expr) throws RefusedException {
        if (expr.kind() == Expr.Kind.COLUMN) {
            return keyOf(expr.columns().get(0));
        }
        for (int i = 0; i < keys.size(); i++) {
            if (keys.get(i).expr().tokens().equals(expr.tokens())) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Returns the key that a name is, -1 if it is none. If two keys have that name, the server would take the one in
     * the select list; this is refused.
     */
    private int keyOf(ColumnRef column) throws RefusedException {
        int found = -1;
        for (int i = 0; i < keys.size(); i++) {
            Expr key = keys.get(i).expr();
            if (key.kind() == Expr.Kind.COLUMN && sameColumn(key.columns().get(0), column)) {
                if (found >= 0) {
                    throw new RefusedException(Reason.AMBIGUOUS_NAME, column.name());
                }
                found = i;
            }
        }
        return found;
    }

    /**
     * Whether two names are the same column. A qualified and an unqualified name are, unless both are keys: if another
     * table had the column too, the server would refuse the unqualified name as ambiguous. With USING this does not
     * hold.
     */
    private boolean sameColumn(ColumnRef one, ColumnRef other) {
        if (!one.name().equalsIgnoreCase(other.name())) {
            return false;
        }
        String left = one.qualifier();
        String right = other.qualifier();
        if (left == null || right == null) {
            return (left == null && right == null) || !model.using();
        }
        return left.equals(right);
    }

    private Template ordered(OrderItem item) throws RefusedException {
        String direction = item.descending() ? " DESC" : "";
        Expr expr = item.expr();
        if (expr.kind() == Expr.Kind.INTEGER) {
            names.atPosition(text(expr));
            return new Template(List.of(new Template.Text(text(expr) + direction)));
        }
        Optional<Integer> aliased = names.aliased(expr);
        if (aliased.isPresent()) {
            return new Template(List.of(new Template.Text((aliased.get() + 1) + direction)));
        }
        if (mariaDb && constant(expr)) {
            // MariaDB computes it for each group and may warn each time (PreparedWarningsIT)
            throw new RefusedException(Reason.UNSUPPORTED_SYNTAX, "sorting by the constant " + text(expr));
        }
        List<Template.Piece> pieces = new ArrayList<>(convert(expr, true).pieces());
        if (!direction.isEmpty()) {
            pieces.add(new Template.Text(direction));
        }
        return new Template(pieces);
    }

    private static boolean constant(Expr expr) {
        return expr.kind() == Expr.Kind.OTHER
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
            int key = keyOf(expr);
            if (key >= 0) {
                return new Template(List.of(new Template.KeyRef(key)));
            }
        }
        Splice splice = new Splice(model.sql());
        for (AggregateCall call : expr.aggregates()) {
            splice.replace(
                    call.span(), gathered.isPresent() ? gathered.get().call(call, expr) : List.of(slots.of(call)));
        }
        RepeatedKeys.replace(model.sql(), keys.stream().map(Key::expr).toList(), expr, splice);
        for (ColumnRef column : expr.columns()) {
            if (!splice.covers(column.span())) {
                boolean named = aliases
                        || expr.windows().stream().anyMatch(call -> call.span().contains(column.span()));
                splice.replace(column.span(), columnPieces(column, named));
            }
        }
        return new Template(splice.pieces(expr.span()));
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
        int key = keyOf(column);
        if (key < 0 && gathered.isPresent() && model.groupBy().isEmpty() && !model.aggregated()) {
            return List.of(gathered.get().column(column));
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
        if (gathered.isPresent() && mariaDb) {
            return;
        }
        if (onlyWhole.isEmpty()
                && item.expr().aggregates().stream().anyMatch(call -> call.function() == AggregateFunction.AVG)) {
            throw new RefusedException(Reason.AVG_IN_EXPRESSION, "the alias " + item.alias());
        }
        if (mariaDb && item.expr().aggregates().stream().anyMatch(AggregationDrafter::ofBits)) {
            throw new RefusedException(
                    Reason.AGGREGATE, "the alias " + item.alias() + " of bits, which may be signed there");
        }
    }

    private static boolean ofBits(AggregateCall call) {
        return switch (call.function()) {
            case BIT_AND, BIT_OR, BIT_XOR -> true;
            default -> false;
        };
    }

    private String text(Expr expr) {
        return expr.span().of(model.sql());
    }
}
