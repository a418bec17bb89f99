package io.fanfold.fuzz;

import java.util.ArrayList;
import java.util.List;

/**
 * An expression: pieces of text with children between them. Immutable.
 *
 * @param role the kind of expression
 * @param type the type of its values
 * @param texts one more than there are children
 * @param children operands in order
 * @param name of a column its alias and name, independent of how it is written; otherwise ""
 */
record Expr(Role role, ValueType type, List<String> texts, List<SqlNode> children, String name) implements SqlNode {
    /** The kind of an expression. */
    enum Role {
        COLUMN,
        LITERAL,
        FUNCTION,
        /** A function whose value stays the same when an operand is replaced by an equal one. */
        COMPARISON,
        AGGREGATE,
        WINDOW,
        SUBQUERY
    }

    Expr {
        texts = List.copyOf(texts);
        children = List.copyOf(children);
        if (texts.size() != children.size() + 1) {
            throw new IllegalArgumentException(texts.size() + " texts around " + children.size() + " children");
        }
    }

    static Expr literal(Family family, String text) {
        ValueType type = new ValueType(family, "", true);
        return new Expr(Role.LITERAL, type, List.of(text), List.of(), "");
    }

    /** Returns a column; {@code name} is alias and name, {@code text} is how it is written here. */
    static Expr column(ValueType type, String name, String text) {
        return new Expr(Role.COLUMN, type, List.of(text), List.of(), name);
    }

    @Override
    public String sql() {
        return write(false);
    }

    /** The text with names in a fixed form: equal for expressions that differ only in how names are written. */
    String identity() {
        return write(true);
    }

    private String write(boolean names) {
        if (names && role == Role.COLUMN) {
            return name;
        }
        StringBuilder sql = new StringBuilder(texts.get(0));
        for (int i = 0; i < children.size(); i++) {
            SqlNode child = children.get(i);
            sql.append(names && child instanceof Expr expr ? expr.identity() : child.sql())
                    .append(texts.get(i + 1));
        }
        return sql.toString();
    }

    boolean same(Expr other) {
        return identity().equals(other.identity());
    }

    /** Whether it contains a part with this role, outside of subqueries. */
    boolean holds(Role wanted) {
        return role == wanted || children.stream().anyMatch(child -> child instanceof Expr expr && expr.holds(wanted));
    }

    Expr withChild(int index, SqlNode child) {
        List<SqlNode> changed = new ArrayList<>(children);
        changed.set(index, child);
        return new Expr(role, type, texts, changed, name);
    }
}
