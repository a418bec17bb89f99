package io.fanfold.fuzz;

import io.fanfold.fuzz.Expectation.Openness;
import io.fanfold.fuzz.Expectation.Openness.Kind;
import io.fanfold.verify.AnswerChoices;
import java.util.ArrayList;
import java.util.List;

/**
 * Derives what SQL leaves open in the answer to a SELECT block: which of the differences that {@link AnswerChoices} lists
 * are allowed in it. It knows more of a generated statement than the verification does of any:
 *
 * <ul>
 * <li>the order is total if ORDER BY names a unique column of every table, every grouping expression, or every column of
 * a DISTINCT; leading sort columns are compared in any case
 * <li>the rows that a LIMIT leaves must be among the rows without LIMIT
 * <li>the server is asked whether strings are equal under the collation of their column
 * </ul>
 *
 * <p>If anything but a comparison under the same collation uses such a choice, a statement has no certain answer. The
 * same holds if it returns columns that are neither grouped nor aggregated. Such statements are not sound. They are
 * neither generated nor accepted as a smaller form of a difference. For one block; not thread-safe.
 */
final class Soundness {
    private final Query query;
    private final List<Expr> keys;
    private final boolean rows;

    Soundness(Query query) {
        this.query = query;
        boolean plain = !query.aggregated();
        this.rows = plain && !query.distinct();
        this.keys = plain && query.distinct()
                ? query.items().stream().map(Item::expr).toList()
                : query.groups().stream().map(Term::expr).toList();
    }

    Expectation expectation() {
        List<Openness> columns =
                query.items().stream().map(item -> openness(item.expr())).toList();
        boolean sound = columns.stream().noneMatch(column -> column.kind() == Kind.MURKY)
                && query.having().stream().allMatch(expr -> openness(expr).closed())
                && query.orders().stream()
                        .allMatch(term -> openness(term.expr()).kind() != Kind.MURKY)
                && (!query.distinct() || query.orders().stream().allMatch(term -> shown(term.expr()) >= 0))
                && query.sources().stream().allMatch(Soundness::certain);
        return new Expectation(sound, total(), query.limit() != null, columns, sorted(columns));
    }

    /** Whether the rows of a derived table are certain. */
    private static boolean certain(Source source) {
        if (source.derived() == null) {
            return true;
        }
        Expectation inner = source.derived().expectation();
        return inner.sound()
                && (!inner.limited() || inner.total())
                && inner.columns().stream().allMatch(Openness::closed);
    }

    private Openness openness(Expr expr) {
        if (rows) {
            return Openness.CLOSED;
        }
        if (keys.stream().anyMatch(key -> key.same(expr))) {
            return choice(expr.type());
        }
        switch (expr.role()) {
            case AGGREGATE:
                boolean extreme = expr.texts().get(0).startsWith("MIN(")
                        || expr.texts().get(0).startsWith("MAX(");
                return extreme ? choice(expr.type()) : Openness.CLOSED;
            case COLUMN:
                return Openness.MURKY;
            case LITERAL, SUBQUERY:
                return Openness.CLOSED;
            default:
                break;
        }
        List<Openness> children = new ArrayList<>();
        for (SqlNode child : expr.children()) {
            if (child instanceof Expr operand) {
                children.add(openness(operand));
            }
        }
        boolean compares = expr.role() == Expr.Role.COMPARISON;
        boolean certain = children.stream().allMatch(child -> child.closed() || compares && child.kind() != Kind.MURKY);
        return certain ? Openness.CLOSED : Openness.MURKY;
    }

    private static Openness choice(ValueType type) {
        if (type.clean()) {
            return Openness.CLOSED;
        }
        return switch (type.family()) {
            case TEXT ->
                type.collation().equals(ValueType.MIXED) ? Openness.MURKY : new Openness(Kind.STRING, type.collation());
            case DBL, INT -> new Openness(Kind.ZERO, "");
            default -> Openness.MURKY;
        };
    }

    private boolean total() {
        if (query.rollup()) {
            return false;
        }
        if (query.distinct()) {
            return query.items().stream().allMatch(item -> ordered(item.expr()));
        }
        if (!rows) {
            return keys.stream().allMatch(this::ordered);
        }
        return query.sources().stream()
                .allMatch(source -> !source.unique().isEmpty()
                        && query.orders().stream()
                                .anyMatch(term -> term.expr().name().equals(source.alias() + "." + source.unique())));
    }

    /**
     * Whether the order of a key is fixed. A DOUBLE does not order groups: old servers make two groups of 0 and -0,
     * which are equal in the order.
     */
    private boolean ordered(Expr expr) {
        return expr.type().family() != Family.DBL
                && query.orders().stream().anyMatch(term -> term.expr().same(expr));
    }

    private List<Integer> sorted(List<Openness> columns) {
        List<Integer> sorted = new ArrayList<>();
        for (Term term : query.orders()) {
            int item = shown(term.expr());
            // values of these types may be equal in the order but differ in their bytes, or the reverse
            if (item < 0
                    || !term.expr().type().clean()
                    || term.expr().type().family() == Family.ODD
                    || !columns.get(item).closed()) {
                return sorted;
            }
            sorted.add(item);
        }
        return sorted;
    }

    private int shown(Expr expr) {
        for (int i = 0; i < query.items().size(); i++) {
            if (query.items().get(i).expr().same(expr)) {
                return i;
            }
        }
        return -1;
    }
}
