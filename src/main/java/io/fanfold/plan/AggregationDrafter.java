package io.fanfold.plan;

import io.fanfold.catalog.Partitioning;
import io.fanfold.metrics.Reason;
import io.fanfold.plan.SplitDecision.PassThrough;
import io.fanfold.plan.SplitDraft.Aggregation;
import io.fanfold.sql.SelectModel;
import io.fanfold.sql.SelectModel.AggregateCall;
import io.fanfold.sql.SelectModel.AggregateFunction;
import io.fanfold.sql.SelectModel.ColumnRef;
import io.fanfold.sql.SelectModel.Expr;
import io.fanfold.sql.SelectModel.OrderItem;
import io.fanfold.sql.SelectModel.SelectItem;
import io.fanfold.sql.SelectModel.TableRef;
import io.fanfold.sql.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Drafts blocks with aggregates, GROUP BY or DISTINCT: every grouping expression becomes a key, every aggregate call a
 * slot, and what stands around them in select list, HAVING and ORDER BY is spliced from the original text around
 * references to them. A column that is neither inside an aggregate nor a key is refused, so after the split no input of
 * the original is left over.
 *
 * <pre>
 * SELECT g, SUM(a)/SUM(b) AS r FROM t GROUP BY g HAVING r > 1 ORDER BY 2
 *   partition query   SELECT g, SUM(a), SUM(b) FROM t PARTITION (p) GROUP BY 1
 *   finish query      SELECT k0, s0/s1 AS r FROM merged WHERE (s0/s1) > 1 ORDER BY 2
 * </pre>
 */
final class AggregationDrafter {
    /** A call without calls inside, as tokens. */
    private static final Pattern FLAT_CALL = Pattern.compile("[a-z_0-9]+ \\( [^()]* \\)");

    /** A grouping key and its input. */
    record Key(Expr expr, int input) {}

    private record Replacement(Span span, List<Template.Piece> pieces) {}

    private final SelectModel model;
    private final boolean mariaDb;
    private final Optional<Partitioning> partitioning;
    private final Optional<PassThrough> onlyWhole;
    private final Inputs inputs = new Inputs();
    private final Slots slots;
    private final ItemNames names;
    private final RollupRule rollup;
    private final List<Key> keys = new ArrayList<>();

    /**
     * For one block.
     *
     * @param partitioning how the table to be split is partitioned, as far as it is known
     * @param onlyWhole why the block cannot be folded from parts of its groups, where only whole groups are wanted
     */
    AggregationDrafter(
            SelectModel model, boolean mariaDb, Optional<Partitioning> partitioning, Optional<PassThrough> onlyWhole) {
        this.model = model;
        this.mariaDb = mariaDb;
        this.partitioning = partitioning;
        this.onlyWhole = onlyWhole;
        this.slots = new Slots(model, inputs, mariaDb, onlyWhole.isPresent());
        this.names = new ItemNames(model);
        this.rollup = new RollupRule(model, mariaDb);
    }

    SplitDraft draft(TableRef split) throws Refusal {
        for (SelectItem item : model.items()) {
            if (item.expr().kind() == Expr.Kind.STAR) {
                throw new Refusal(Reason.SELECT_STAR, item.span().of(model.sql()));
            }
        }
        boolean plainDistinct =
                model.distinct() && !model.aggregated() && model.groupBy().isEmpty();
        if (plainDistinct) {
            for (SelectItem item : model.items()) {
                if (mariaDb && item.expr().kind() != Expr.Kind.COLUMN) {
                    // MariaDB 10.11 was seen to drop rows that differ
                    throw new Refusal(Reason.UNSUPPORTED_SYNTAX, "DISTINCT over an expression");
                }
                addKey(item.expr());
            }
        } else {
            for (Expr expr : model.groupBy()) {
                addKey(grouped(expr));
            }
            rollup.requireDifferentKeys(model.groupBy().size(), keys.size());
            rollup.requireColumns(keys.stream().map(Key::expr).toList());
        }
        boolean grouped = plainDistinct || !model.groupBy().isEmpty();
        List<Template> items = new ArrayList<>();
        for (SelectItem item : model.items()) {
            items.add(convert(item.expr(), false));
        }
        Optional<Template> having = Optional.empty();
        if (model.having().isPresent()) {
            having = Optional.of(convert(model.having().get(), true));
            rollup.requireNoKey(having);
        }
        List<Template> orderBy = new ArrayList<>();
        if (grouped) {
            for (OrderItem item : model.orderBy()) {
                orderBy.add(ordered(item));
            }
        }
        rollup.requireNoDistinct(slots.distinctInputs());
        rollup.requireNoSpread(slots.list());
        return new SplitDraft(
                model,
                split,
                inputs.list(),
                new Aggregation(
                        keys.stream().map(Key::input).toList(),
                        slots.distinctInputs(),
                        slots.list(),
                        exactWindows(),
                        plainDistinct ? Optional.empty() : wholeGroups().of(split),
                        grouped,
                        model.rollup(),
                        model.distinct() && !plainDistinct,
                        items,
                        having,
                        orderBy),
                names.notColumns(),
                Optional.empty());
    }

    /**
     * Type-only inputs of what window functions sum. Sums of approximate numbers depend on the order of the rows; all
     * other window functions that are read choose values or count rows.
     */
    private List<Integer> exactWindows() {
        return Stream.concat(
                        model.items().stream().map(SelectItem::expr),
                        model.orderBy().stream().map(OrderItem::expr))
                .flatMap(expr -> expr.windows().stream())
                .filter(call -> call.function().equals("SUM") || call.function().equals("AVG"))
                .flatMap(call -> call.arguments().stream())
                .map(argument -> inputs.type(argument.of(model.sql())))
                .toList();
    }

    private WholeGroupsRule wholeGroups() {
        return new WholeGroupsRule(model, mariaDb, partitioning, onlyWhole, this, inputs, names);
    }

    /** The expression that an element of GROUP BY means. */
    private Expr grouped(Expr expr) throws Refusal {
        if (expr.kind() == Expr.Kind.INTEGER) {
            return names.atPosition(text(expr)).expr();
        }
        Optional<Integer> item = names.aliased(expr);
        return item.isPresent() ? model.items().get(item.get()).expr() : expr;
    }

    private void addKey(Expr expr) throws Refusal {
        if (!expr.aggregates().isEmpty()
                || !expr.windows().isEmpty()
                || expr.columns().isEmpty()
                || model.shown().stream().anyMatch(expr.span()::contains)) {
            throw new Refusal(Reason.UNSUPPORTED_SYNTAX, "grouping by " + text(expr));
        }
        if (keyOf(expr) < 0) {
            keys.add(new Key(expr, inputs.value(text(expr))));
        }
    }

    /** The keys in order. */
    List<Key> keys() {
        return keys;
    }

    /** The key that an expression is; -1 when it is none. */
    int keyOf(Expr expr) throws Refusal {
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

    /** The same for a name. Of two keys of one name, the server takes the one that stands in the select list. */
    private int keyOf(ColumnRef column) throws Refusal {
        int found = -1;
        for (int i = 0; i < keys.size(); i++) {
            Expr key = keys.get(i).expr();
            if (key.kind() == Expr.Kind.COLUMN && sameColumn(key.columns().get(0), column)) {
                if (found >= 0) {
                    throw new Refusal(Reason.AMBIGUOUS_NAME, column.name());
                }
                found = i;
            }
        }
        return found;
    }

    /**
     * Whether two names are one column. A qualified and an unqualified name are, since the server would have refused
     * the unqualified one as ambiguous if any other table had it too, unless both are keys; with USING that does not
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

    private Template ordered(OrderItem item) throws Refusal {
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
        List<Template.Piece> pieces = new ArrayList<>(convert(expr, true).pieces());
        if (!direction.isEmpty()) {
            pieces.add(new Template.Text(direction));
        }
        return new Template(pieces);
    }

    /**
     * The expression over merged columns.
     *
     * @param aliases whether names may be aliases of the select list, as in HAVING and ORDER BY; in windows they always
     *     may, which MySQL refuses by itself
     */
    private Template convert(Expr expr, boolean aliases) throws Refusal {
        if (!aliases || names.aliased(expr).isEmpty()) {
            int key = keyOf(expr);
            if (key >= 0) {
                return new Template(List.of(new Template.KeyRef(key)));
            }
        }
        List<Replacement> replacements = new ArrayList<>();
        for (AggregateCall call : expr.aggregates()) {
            replacements.add(new Replacement(call.span(), List.of(slots.of(call))));
        }
        addKeyExpressions(expr, replacements);
        for (ColumnRef column : expr.columns()) {
            if (!covered(column.span(), replacements)) {
                boolean named = aliases
                        || expr.windows().stream().anyMatch(call -> call.span().contains(column.span()));
                replacements.add(new Replacement(column.span(), columnPieces(column, named)));
            }
        }
        return splice(expr.span(), replacements);
    }

    private List<Template.Piece> columnPieces(ColumnRef column, boolean aliases) throws Refusal {
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
        if (key < 0) {
            throw new Refusal(Reason.UNGROUPED_COLUMN, column.span().of(model.sql()));
        }
        return List.of(new Template.KeyRef(key));
    }

    /** What stands around an alias is not known here, and AVG hands on more digits than its quotient has. */
    private void refuseInner(SelectItem item) throws Refusal {
        if (onlyWhole.isEmpty()
                && item.expr().aggregates().stream().anyMatch(call -> call.function() == AggregateFunction.AVG)) {
            throw new Refusal(Reason.AVG_IN_EXPRESSION, "the alias " + item.alias());
        }
        if (mariaDb && item.expr().aggregates().stream().anyMatch(AggregationDrafter::ofBits)) {
            throw new Refusal(Reason.AGGREGATE, "the alias " + item.alias() + " of bits, which may be signed there");
        }
    }

    private static boolean ofBits(AggregateCall call) {
        return switch (call.function()) {
            case BIT_AND, BIT_OR, BIT_XOR -> true;
            default -> false;
        };
    }

    /**
     * Finds grouping expressions written again inside a larger expression. Only calls are looked for, as {@code f(…)}:
     * their text is a unit whatever stands around it. The text must be the same to the letter, and hold a column name at
     * the same place, so that it is no part of a string.
     */
    private void addKeyExpressions(Expr expr, List<Replacement> replacements) {
        String whole = text(expr);
        for (int i = 0; i < keys.size(); i++) {
            Expr key = keys.get(i).expr();
            String wanted = text(key);
            if (key.kind() != Expr.Kind.OTHER || !isCall(key, wanted)) {
                continue;
            }
            int columnAt = key.columns().get(0).span().start() - key.span().start();
            for (int at = whole.indexOf(wanted); at >= 0; at = whole.indexOf(wanted, at + 1)) {
                Span span = new Span(expr.span().start() + at, expr.span().start() + at + wanted.length());
                int columnStart = span.start() + columnAt;
                boolean name = expr.columns().stream().anyMatch(c -> c.span().start() == columnStart);
                boolean border = at == 0 || !isNamePart(whole.charAt(at - 1));
                if (name && border && !covered(span, replacements)) {
                    replacements.add(new Replacement(span, List.of(new Template.KeyRef(i))));
                }
            }
        }
    }

    /** Whether an expression is one call: a name, and one pair of parentheses that closes at its very end. */
    private static boolean isCall(Expr expr, String text) {
        int open = text.indexOf('(');
        if (open <= 0 || !text.endsWith(")") || text.indexOf('\'') >= 0 || text.indexOf('"') >= 0) {
            return isQuotedCall(expr);
        }
        for (int i = 0; i < open; i++) {
            if (!isNamePart(text.charAt(i))) {
                return false;
            }
        }
        int depth = 0;
        for (int i = open; i < text.length(); i++) {
            depth += text.charAt(i) == '(' ? 1 : text.charAt(i) == ')' ? -1 : 0;
            if (depth == 0) {
                return i == text.length() - 1;
            }
        }
        return false;
    }

    /** The same for a call with string literals, told from its tokens, in which a literal is one piece. */
    private static boolean isQuotedCall(Expr expr) {
        return FLAT_CALL.matcher(expr.tokens()).matches();
    }

    private static boolean isNamePart(char c) {
        return Character.isLetterOrDigit(c) || c == '_' || c == '$' || c == '.' || c == '`';
    }

    private static boolean covered(Span span, List<Replacement> replacements) {
        return replacements.stream().anyMatch(replacement -> replacement.span().contains(span));
    }

    private Template splice(Span span, List<Replacement> replacements) {
        List<Template.Piece> pieces = new ArrayList<>();
        int at = span.start();
        List<Replacement> ordered = replacements.stream()
                .sorted(Comparator.comparingInt(
                        replacement -> replacement.span().start()))
                .toList();
        for (Replacement replacement : ordered) {
            if (replacement.span().start() > at) {
                pieces.add(new Template.Text(
                        model.sql().substring(at, replacement.span().start())));
            }
            pieces.addAll(replacement.pieces());
            at = replacement.span().end();
        }
        if (at < span.end()) {
            pieces.add(new Template.Text(model.sql().substring(at, span.end())));
        }
        return new Template(pieces);
    }

    private String text(Expr expr) {
        return expr.span().of(model.sql());
    }
}
