package io.fanfold.plan;

import io.fanfold.plan.Template.Ref;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How a final query uses each merged column: only shown, sorted by, or inside an expression. A column that is only
 * shown and sorted by may be sent as text. Immutable once made.
 */
final class FinalQueryUse {
    private final LogicalAggregation shape;
    private final Set<Ref> used = new HashSet<>();
    private final Set<Ref> computed = new HashSet<>();
    private final Set<Ref> sorted = new HashSet<>();

    /**
     * Reads a shape.
     *
     * @param sortedByKeys whether the final query sorts by all keys because the server would
     * @param embedded whether the rest of a statement is around it, which may use its items in any way
     */
    FinalQueryUse(LogicalAggregation shape, boolean sortedByKeys, boolean embedded) {
        this.shape = shape;
        boolean materialized = shape.materialized().isPresent();
        for (Template item : shape.items()) {
            note(item, item.bare() && !embedded && !shape.rollup() && !(materialized && shape.distinctRows()));
        }
        for (int key = 0; key < shape.grouping(); key++) {
            // the final query groups by it again
            used.add(new Template.KeyRef(key));
            computed.add(new Template.KeyRef(key));
        }
        shape.having().ifPresent(having -> note(having, false));
        for (Template order : shape.orderBy()) {
            Optional<Ref> by = sortedBy(order);
            by.ifPresent(sorted::add);
            if (materialized) {
                // by the value itself, not as text
                by.ifPresent(computed::add);
            }
            note(order, by.isPresent() && !materialized);
        }
        for (int key = 0; sortedByKeys && key < shape.keys().size(); key++) {
            sorted.add(new Template.KeyRef(key));
        }
    }

    private void note(Template template, boolean bare) {
        for (Template.Piece piece : template.pieces()) {
            if (piece instanceof Template.QuotientRef quotient) {
                computed.add(new Template.AggregateRef(quotient.sumIndex()));
                computed.add(new Template.AggregateRef(quotient.countIndex()));
            } else if (piece instanceof Ref ref) {
                used.add(ref);
                if (!bare) {
                    computed.add(ref);
                }
            }
        }
    }

    /** Returns the merged column that an element of ORDER BY is, directly or by its position in the select list. */
    Optional<Ref> sortedBy(Template order) {
        if (order.pieces().get(0) instanceof Template.Position position) {
            Template item = shape.items().get(position.item());
            return item.bare() ? Optional.of((Ref) item.pieces().get(0)) : Optional.empty();
        }
        return column(order);
    }

    /** Returns the merged column that an element of ORDER BY is, without regard to positions. */
    static Optional<Ref> column(Template order) {
        List<Template.Piece> pieces = order.pieces();
        boolean directed = pieces.size() == 2 && pieces.get(1) instanceof Template.Text text && isDirection(text);
        return pieces.get(0) instanceof Ref ref && (pieces.size() == 1 || directed)
                ? Optional.of(ref)
                : Optional.empty();
    }

    private static boolean isDirection(Template.Text text) {
        return text.sql().equals(" DESC");
    }

    /** Whether an element of ORDER BY is descending. */
    static boolean descending(Template order) {
        return order.pieces().get(order.pieces().size() - 1) instanceof Template.Text text
                && text.sql().endsWith(" DESC");
    }

    /** Whether a column is in no expression or condition. */
    boolean shownOnly(Ref ref) {
        return !computed.contains(ref);
    }

    /** Whether the final query uses a column, other than to sort by it without ORDER BY. */
    boolean used(Ref ref) {
        return used.contains(ref);
    }

    /** Whether the final query sorts by a column. */
    boolean sorted(Ref ref) {
        return sorted.contains(ref);
    }
}
