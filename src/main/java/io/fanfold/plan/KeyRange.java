package io.fanfold.plan;

import io.fanfold.catalog.KeyColumn;
import io.fanfold.catalog.KeyColumn.Second;
import io.fanfold.catalog.KeyType;
import io.fanfold.catalog.TableName;
import java.math.BigInteger;
import java.util.Optional;

/**
 * A range of a key: the rows from one bound on and before another one. The ranges of a table are disjoint, and together
 * they are all its rows, whatever the bounds are: the first has no lower bound, the last no upper one, and each other
 * begins where the one before it ends. NULL is before all values. Immutable.
 *
 * <p>Both servers read a range of the index for each condition here. They do not for row comparisons such as {@code (a, b)
 * >= (1, 2)}: MySQL 9.7.4 and MariaDB 10.11.18 scan the table.
 *
 * @param key the first column of an index, and perhaps the second
 * @param from empty in the first range
 * @param below empty in the last range
 * @param estimatedRows the server's estimate, 0 or more
 */
public record KeyRange(KeyColumn key, Optional<KeyBound> from, Optional<KeyBound> below, long estimatedRows) {
    /**
     * Returns the condition for the range; empty if it has no bounds.
     *
     * @param table how the statement names the table, quoted
     */
    public String condition(String table) {
        String column = table + "." + TableName.quote(key.name());
        if (from.isPresent() && below.isPresent() && ofOneValue(from.get(), below.get())) {
            return column + " = " + key.type().literal(from.get().first())
                    + and(secondFrom(table, from.get().second()))
                    + and(secondBelow(
                            table, below.get().second(), from.get().second().isEmpty()));
        }
        String least = from.map(bound -> least(table, column, bound)).orElse("");
        String most = below.map(bound -> most(table, column, bound)).orElse("");
        return least.isEmpty() ? most : least + and(most);
    }

    /** Whether all rows between two bounds have the same first value, and a bound is inside of these rows. */
    private static boolean ofOneValue(KeyBound from, KeyBound below) {
        return from.first().equals(below.first()) || from.second().isPresent() && below.equals(from.next());
    }

    private String least(String table, String column, KeyBound bound) {
        String value = key.type().literal(bound.first());
        return bound.second().isEmpty()
                ? column + " >= " + value
                : "(" + column + " > " + value + " OR " + column + " = " + value
                        + and(secondFrom(table, bound.second())) + ")";
    }

    private String most(String table, String column, KeyBound bound) {
        String value = key.type().literal(bound.first());
        String below = column + " < " + value;
        if (bound.second().isPresent()) {
            below += " OR " + column + " = " + value + and(secondBelow(table, bound.second(), true));
        }
        if (from.isEmpty() && key.nullable()) {
            below += " OR " + column + " IS NULL";
        }
        return below.contains(" OR ") ? "(" + below + ")" : below;
    }

    private String secondFrom(String table, Optional<BigInteger> bound) {
        return bound.map(position -> second(table) + " >= " + secondType().literal(position))
                .orElse("");
    }

    private String secondBelow(String table, Optional<BigInteger> bound, boolean withNull) {
        if (bound.isEmpty()) {
            return "";
        }
        String below = second(table) + " < " + secondType().literal(bound.get());
        return withNull && key.nullable() ? "(" + below + " OR " + second(table) + " IS NULL)" : below;
    }

    private String second(String table) {
        return table + "." + TableName.quote(key.second().map(Second::name).orElseThrow());
    }

    private KeyType secondType() {
        return key.second().map(Second::type).orElseThrow();
    }

    private static String and(String condition) {
        return condition.isEmpty() ? "" : " AND " + condition;
    }

    /** Returns the range from the start of this one to the end of a later one. */
    KeyRange to(KeyRange last, long rows) {
        return new KeyRange(key, from, last.below, rows);
    }

    /** Returns the columns whose values are in the bounds, e.g. {@code tenant, id}. */
    public String columns() {
        boolean both = from.flatMap(KeyBound::second).isPresent()
                || below.flatMap(KeyBound::second).isPresent();
        return both ? key.name() + ", " + key.second().map(Second::name).orElseThrow() : key.name();
    }

    /** Returns the range for people, e.g. {@code id 100..200}, or {@code tenant, id 3, 100..3, 200}. */
    public String label() {
        return columns() + " " + from.map(this::label).orElse("") + ".."
                + below.map(this::label).orElse("");
    }

    private String label(KeyBound bound) {
        return key.type().literal(bound.first())
                + bound.second()
                        .map(position -> ", " + secondType().literal(position))
                        .orElse("");
    }
}
